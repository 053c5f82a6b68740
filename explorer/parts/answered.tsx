import type { ComponentChildren } from 'preact'
import type { Answer } from '../service/use-answer.ts'
import { FailedNote } from './failed-note.tsx'
import { LoadingNote } from './notes.tsx'

interface AnsweredProps<Data> {
  readonly answer: Answer<Data>
  readonly children: (data: Data) => ComponentChildren
}

/** Shows an answer once it is loaded. Before that, shows that it is loading; after a failure, the error. */
export function Answered<Data>({ answer, children }: AnsweredProps<Data>) {
  const { data, error, isLoading } = answer
  if (error) return <FailedNote error={error} />
  if (data === undefined) return isLoading ? <LoadingNote /> : null
  return (
    <div class={isLoading ? 'renewing' : undefined} aria-busy={isLoading}>
      {children(data)}
    </div>
  )
}
