import type { RegisteredProject } from './graph.ts'
import type { Operation, ProjectAction } from './store/transactions.ts'

/** States of a project in which something may be done (submission.md 7.2, 13.3). */
const STATES_FOR: Readonly<Record<ProjectAction, readonly string[]>> = Object.freeze({
  review: ['open'],
  open: ['review'],
  submit: ['review'],
  release: ['open', 'review', 'submitted', 'processing'],
})

/** A project whose entities were submitted is opened again by operators alone (submission.md 13.3). */
const REOPENED_FROM: readonly string[] = Object.freeze(['submitted', 'processing', 'processed'])

/** Whether `open` takes entities back that were submitted. */
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
 * The message for who asks for something that a project's state forbids; undefined where it may be.
 * Entities are changed in open projects alone.
 * @param by the path of the request, and whether an administrator asks
 */
export function lockMessage(
  { state }: Pick<RegisteredProject, 'state'>,
  operation: Operation,
  { path, isAdministrator }: { readonly path: string; readonly isAdministrator: boolean },
): string | undefined {
  // What a release has is redacted at any time.
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
