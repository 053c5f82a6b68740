import type { RegisteredProject } from './graph.ts'
import type { Operation, ProjectAction } from './store/transactions.ts'

/** States of a project that allow each action (submission.md 7.2, 13.3). */
const STATES_FOR: Readonly<Record<ProjectAction, readonly string[]>> = Object.freeze({
  review: ['open'],
  open: ['review'],
  submit: ['review'],
  release: ['open', 'review', 'submitted', 'processing'],
})

/** States from which only operators can reopen a project (submission.md 13.3). */
const REOPENED_FROM: readonly string[] = Object.freeze(['submitted', 'processing', 'processed'])

/** Returns whether `open` withdraws submitted entities. */
export function isReopening(
  { state }: Pick<RegisteredProject, 'state'>,
  operation: Operation,
): boolean {
  return operation === 'open' && REOPENED_FROM.includes(state)
}

export function isProjectAction(operation: Operation): operation is ProjectAction {
  return Object.hasOwn(STATES_FOR, operation)
}

/**
 * Returns a message if the project's state forbids an operation, otherwise undefined. Entities can only be
 * changed in open projects.
 * @param by path of the request, and whether the caller is an administrator
 */
export function lockMessage(
  { state }: Pick<RegisteredProject, 'state'>,
  operation: Operation,
  { path, isAdministrator }: { readonly path: string; readonly isAdministrator: boolean },
): string | undefined {
  // Released entities can be redacted at any time.
  if (operation === 'redact') return undefined
  const states = statesFor(operation, isAdministrator)
  if (states.includes(state)) return undefined
  return (
    `Project is in state '${state}', which prevents ${path}. ` +
    `In order to perform this action, the project must be in state <${states.join(' or ')}>.`
  )
}

function statesFor(operation: Operation, isAdministrator: boolean): readonly string[] {
  if (!isProjectAction(operation)) return ['open']
  const states = STATES_FOR[operation]
  return operation === 'open' && isAdministrator ? [...states, ...REOPENED_FROM] : states
}
