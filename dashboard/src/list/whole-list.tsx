import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Actions, Button, Dialog, ErrorState, Icon, Table, toast } from '@tenure/ui';
import { useTenure } from '../api/client.ts';
import { shownError } from '../api/requests.ts';
import { readAllRows, type LoadPage } from './all-rows.ts';
import { csvOf, saveFile } from './export.ts';
import type { ListDefinition } from './list-definition.ts';
import { pick, type ListSearch } from './list-search.ts';
import styles from './list-page.module.css';

/** What is done with all records that fit the filters. */
type Purpose = 'csv' | 'print';

/** The most records of a file. Reading them takes 20 s, and a browser holds them easily. */
const csvRowsMax = 10_000;

/** The most records of a print. A browser lays out no longer table in a moment. */
const printRowsMax = 2_000;

/** All records that fit the filters, for a print. */
export interface PrintedRows<Row> {
  rows: readonly Row[];
  count: number;
}

/** Two buttons: save what the filters show as CSV, and print it. A dialog shows how far the reading is. */
export function WholeListActions<Row extends { id: string }, Name extends string>({
  list,
  search,
  sheet,
  onPrint,
}: {
  list: ListDefinition<Row, Name>;
  search: ListSearch<Name>;
  /** Returns what a row has in the CSV, by the titles of columns. */
  sheet: (row: Row) => Record<string, unknown>;
  onPrint: (printed: PrintedRows<Row>) => void;
}): ReactNode {
  const tenure = useTenure();
  const stopping = useRef<AbortController>(null);
  const [progress, setProgress] = useState<{ done: number; count: number } | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);
  const reading = useMutation<void, Error, Purpose>({
    mutationFn: async (purpose) => {
      const stop = new AbortController();
      stopping.current = stop;
      setProgress(null);
      const filters = pick(
        search,
        list.filters.map(({ name }) => name),
      ) as ListSearch<Name>;
      const load: LoadPage<Row> = (client, cursor, options) =>
        list.load(client, { ...filters, ...cursor }, options, list.parentId);
      const max = purpose === 'csv' ? csvRowsMax : printRowsMax;
      const { rows, count } = await readAllRows(tenure, load, max, stop.signal, (done, known) =>
        setProgress({ done, count: Math.min(known, max) }),
      );
      if (purpose === 'print') return onPrint({ rows, count });
      saveFile(`${list.noun.replaceAll(' ', '-')}.csv`, 'text/csv', csvOf(rows.map(sheet)));
      toast(`Saved ${savedText(rows.length, count, list.noun)}`);
    },
  });
  const { error, isPending, variables: purpose } = reading;
  const close = (): void => {
    stopping.current?.abort();
    reading.reset();
  };
  return (
    <>
      <Button onPress={() => reading.mutate('csv')}>
        <Icon name="download" size={14} />
        Download CSV
      </Button>
      <Button onPress={() => reading.mutate('print')}>
        <Icon name="print" size={14} />
        Print
      </Button>
      <Dialog
        title={purpose === 'print' ? `Print the ${list.noun}` : `Download the ${list.noun}`}
        isOpen={isPending || error !== null}
        onClose={close}
      >
        {error === null ? (
          <div className={styles.reading}>
            <progress
              className={styles.progress}
              aria-label="Progress"
              {...(progress !== null && { max: Math.max(1, progress.count), value: progress.done })}
            />
            <p role="status">
              {progress === null
                ? `Reading the ${list.noun} …`
                : `${number(progress.done)} of ${number(progress.count)} ${list.noun} are read.`}
            </p>
          </div>
        ) : (
          <ErrorState error={shownError(error)} onRetry={() => reading.mutate(purpose)} />
        )}
        <Actions>
          <Button onPress={close}>{error === null ? 'Cancel' : 'Close'}</Button>
        </Actions>
      </Dialog>
    </>
  );
}

/** All records that fit the filters as one table, which the browser prints at once. */
export function PrintView<Row extends { id: string }, Name extends string>({
  list,
  search,
  printed: { rows, count },
  onClose,
}: {
  list: ListDefinition<Row, Name>;
  search: ListSearch<Name>;
  printed: PrintedRows<Row>;
  onClose: () => void;
}): ReactNode {
  useEffect(() => {
    print();
  }, []);
  const used = list.filters.flatMap(({ name, label, choices = [] }) => {
    const value = search[name];
    return value === undefined ? [] : [`${label}: ${choices.find(({ id }) => id === value)?.name ?? value}`];
  });
  return (
    <div className={styles.results}>
      <p>{[...used, savedText(rows.length, count, list.noun)].join(' · ')}</p>
      <div className={styles.screenOnly}>
        <Button onPress={onClose}>Back to the list</Button>
        <Button onPress={() => print()}>Print again</Button>
      </div>
      <Table label={list.title} columns={list.columns ?? []} rows={rows} />
    </div>
  );
}

function savedText(saved: number, count: number, noun: string): string {
  if (saved >= count) return `${number(saved)} ${noun}.`;
  return `The newest ${number(saved)} of ${number(count)} ${noun}. Set a filter to see the others.`;
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}
