import { isObject, type Json } from '../../core/json-diff.ts';
import type { Step } from './definition.ts';
import { lookInEvent, type Look } from './filters.ts';
import { valueAt } from './paths.ts';
import { pathsIn, textsIn, type Scope } from './templates.ts';

/** Looks at a path of a scope. */
export function lookInScope(scope: Scope): (path: string) => Look {
  return (path) => {
    const [root, ...rest] = path.split('.');
    if (root === 'event' && isObject(scope.event)) return lookInEvent(scope.event, rest.join('.'));
    return { value: valueAt(scope, path.split('.')), isChanged: false };
  };
}

/** Returns the ids of the steps whose outputs a step names. */
export function namedSteps(step: Step): string[] {
  const paths = [
    ...[...textsIn(step as unknown as Json)].flatMap(pathsIn),
    ...(step.if ?? []).map(({ path }) => path),
    step.for_each ?? '',
    step.until ?? '',
  ];
  return [...new Set(paths.flatMap((path) => (path.startsWith('steps.') ? [path.split('.')[1]!] : [])))];
}
