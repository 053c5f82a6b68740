import type { ComponentChildren } from 'preact'
import type { Answer } from '../service/use-answer.ts'
import { FailedNote } from './failed-note.tsx'
import { EmptyNote, LoadingNote } from './notes.tsx'

interface AnsweredProps<Data> {
  readonly answer: Answer<Data>
  readonly children: (data: Data) => ComponentChildren
}

/**
 * Shows an answer once it is loaded. Before that, shows that it is loading; after a failure, the error.
 * If the service cannot be reached, the frame says so once for the whole page.
 */
export function Answered<Data>({ answer, children }: AnsweredProps<Data>) {
  const { data, error, isLoading } = answer
  if (error?.status === 0) return <EmptyNote>Waiting for the service.</EmptyNote>
  if (error) return <FailedNote error={error} />
  if (data === undefined) return isLoading ? <LoadingNote /> : null
  return (
    <div class={isLoading ? 'renewing' : undefined} aria-busy={isLoading}>
      {children(data)}
    </div>
  )
}
