import type { RegisteredProject } from './graph.ts'
import type { Operation, ProjectAction } from './store/transactions.ts'

/** States of a project in which something may be done (submission.md 7.2, 13.3). */
const STATES_FOR: Readonly<Record<ProjectAction, readonly string[]>> = Object.freeze({
  review: ['open'],
  open: ['review'],
  submit: ['review'],
  release: ['open', 'review', 'submitted', 'processing'],
})

export function isProjectAction(operation: Operation): operation is ProjectAction {
  return Object.hasOwn(STATES_FOR, operation)
}

/**
 * The message for who asks for something that a project's state forbids; undefined where it may be.
 * Entities are changed in open projects alone.
 * @param path of the request
 */
export function lockMessage(
  { state }: Pick<RegisteredProject, 'state'>,
  operation: Operation,
  path: string,
): string | undefined {
  const states = isProjectAction(operation) ? STATES_FOR[operation] : ['open']
  if (states.includes(state)) return undefined
  return (
    `Project is in state '${state}', which prevents ${path}. ` +
    `In order to perform this action, the project must be in state <${states.join(' or ')}>.`
  )
}
