import microdiff from 'microdiff';
import { createContext, use, useId, useMemo, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './data.tsx';
import styles from './json.module.css';

/** Shows a command, a URL or a body that is not JSON, with a button that copies it. */
export function CodeBlock({ title, text }: { title: string; text: string }): ReactNode {
  return (
    <section className={styles.viewer} aria-label={title}>
      <div className={styles.bar}>
        <span>{title}</span>
        <CopyButton text={text} label={`Copy: ${title}`} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reachable by keyboard. */}
      <pre className={styles.code} tabIndex={0} role="group" aria-label={title}>
        {text}
      </pre>
    </section>
  );
}

/** What a viewer tells the values within it. */
const ViewerContext = createContext({ query: '', isOpen: true });

/** Shows JSON. Its objects fold, a text can be found, and all of it can be copied. */
export function JsonViewer({ title, value }: { title: string; value: unknown }): ReactNode {
  const [query, setQuery] = useState('');
  const [isOpen, setOpen] = useState(true);
  // A new generation forgets which objects were folded by hand.
  const [generation, setGeneration] = useState(0);
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'null', [value]);
  const found = query === '' ? 0 : text.toLowerCase().split(query.toLowerCase()).length - 1;
  const foldAll = (open: boolean): void => {
    setOpen(open);
    setGeneration(generation + 1);
  };
  const context = useMemo(() => ({ query: query.toLowerCase(), isOpen: isOpen || query !== '' }), [query, isOpen]);
  const findId = useId();
  return (
    <section className={styles.viewer} aria-label={title}>
      <div className={styles.bar}>
        <span>{title}</span>
        <span className={styles.tools}>
          <span role="status">{query !== '' && `${found} found`}</span>
          <label htmlFor={findId}>Find</label>
          <input
            id={findId}
            className={styles.find}
            type="search"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
          <Button look="plain" isSmall onPress={() => foldAll(!isOpen)}>
            {isOpen ? 'Fold' : 'Unfold'}
          </Button>
          <CopyButton text={text} label={`Copy: ${title}`} />
        </span>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reachable by keyboard. */}
      <div className={styles.code} tabIndex={0} role="group" aria-label={title}>
        <ViewerContext value={context}>
          <JsonValue key={`${generation} ${query === ''}`} value={value} end="" isRoot />
        </ViewerContext>
      </div>
    </section>
  );
}

/** Deeper values would make indentation useless. They are shown on one line. */
const depthMax = 12;

function JsonValue({
  name,
  value,
  end,
  isRoot = false,
  depth = 0,
}: {
  name?: string;
  value: unknown;
  /** A comma, unless the value is the last one. */
  end: string;
  isRoot?: boolean;
  depth?: number;
}): ReactNode {
  const { isOpen } = use(ViewerContext);
  const [isShown, setShown] = useState(isOpen || isRoot);
  const start = name === undefined ? null : <JsonKey name={name} />;
  if (typeof value !== 'object' || value === null || depth >= depthMax) {
    return (
      <div>
        {start}
        <Leaf value={value} />
        <span className={styles.quiet}>{end}</span>
      </div>
    );
  }
  const isArray = Array.isArray(value);
  const entries: [string | undefined, unknown][] = isArray
    ? value.map((each: unknown) => [undefined, each])
    : Object.entries(value);
  const [opening, closing] = isArray ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div>
        {start}
        <span className={styles.quiet}>
          {opening}
          {closing}
          {end}
        </span>
      </div>
    );
  }
  return (
    <div>
      <button type="button" className={styles.fold} aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {start}
        <span className={styles.quiet}>
          {opening}
          {!isShown && ` ${entries.length} ${closing}${end}`}
        </span>
      </button>
      {isShown && (
        <>
          <div className={styles.children}>
            {entries.map(([key, each], index) => (
              <JsonValue
                key={key ?? index}
                name={key}
                value={each}
                end={index < entries.length - 1 ? ',' : ''}
                depth={depth + 1}
              />
            ))}
          </div>
          <span className={styles.quiet}>
            {closing}
            {end}
          </span>
        </>
      )}
    </div>
  );
}

function JsonKey({ name }: { name: string }): ReactNode {
  return (
    <>
      <span className={styles.key}>
        <Found text={JSON.stringify(name)} />
      </span>
      <span className={styles.quiet}>: </span>
    </>
  );
}

function Leaf({ value }: { value: unknown }): ReactNode {
  const look = typeof value === 'string' ? styles.string : typeof value === 'number' ? styles.number : styles.word;
  return (
    <span className={look}>
      <Found text={JSON.stringify(value) ?? 'null'} />
    </span>
  );
}

/** Marks what the reader looks for. */
function Found({ text }: { text: string }): ReactNode {
  const { query } = use(ViewerContext);
  const at = query === '' ? -1 : text.toLowerCase().indexOf(query);
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark className={styles.found}>{text.slice(at, at + query.length)}</mark>
      {text.slice(at + query.length)}
    </>
  );
}

/** The values that differ between two objects, by their paths. */
export function JsonDiff({ title, before, after }: { title: string; before: object; after: object }): ReactNode {
  const rows = useMemo(
    () =>
      microdiff(withoutPrototypes(before), withoutPrototypes(after)).map((change) => ({
        path: change.path.join('.'),
        ...(change.type !== 'CREATE' && { before: change.oldValue as unknown }),
        ...(change.type !== 'REMOVE' && { after: change.value as unknown }),
      })),
    [before, after],
  );
  return <DifferenceTable title={title} rows={rows} />;
}

/** Returns a copy whose objects inherit nothing. microdiff would find a member such as `constructor` in every other object. */
function withoutPrototypes<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPrototypes) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of Object.entries(value)) copy[name] = withoutPrototypes(each);
  return copy as T;
}

/** A member that differs. A value that does not exist is left out. */
export interface DifferenceRow {
  path: string;
  before?: unknown;
  after?: unknown;
}

/** Differences that are known already, with a value before and one after. */
export function DifferenceTable(props: {
  title: string;
  rows: readonly DifferenceRow[];
  /** The heads of the two columns with values. */
  heads?: readonly [before: string, after: string];
}): ReactNode {
  const { title, rows, heads = ['Before', 'After'] } = props;
  return (
    <section className={styles.viewer} aria-label={title}>
      <div className={styles.bar}>
        <span>{title}</span>
      </div>
      <div className={styles.scroll}>
        <table className={styles.diff} aria-label={title}>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">{heads[0]}</th>
              <th scope="col">{heads[1]}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.path}>
                <td>{row.path}</td>
                <td className={styles.before}>{'before' in row ? shown(row.before) : '–'}</td>
                <td className={styles.after}>{'after' in row ? shown(row.after) : '–'}</td>
              </tr>
            ))}
            {rows.length === 0 && (
              <tr>
                <td colSpan={3}>Nothing differs.</td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function shown(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}
