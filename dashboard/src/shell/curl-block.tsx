import type { ReactNode } from 'react';
import { CodeBlock } from '@tenure/ui';
import { curlAs } from '../curl.ts';
import { useActing } from './account-bar.tsx';

/** A command of `curlOf`. While the person acts as a connected account, the command acts on that account, too. */
export function CurlBlock({ title, text }: { title: string; text: string }): ReactNode {
  const acting = useActing();
  return <CodeBlock title={title} text={acting === undefined ? text : curlAs(acting, text)} />;
}
