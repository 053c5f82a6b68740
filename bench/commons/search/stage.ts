import type { Form, Party } from './form.ts'
import type { Input } from './input.ts'
import type { Kind, Question, QuestionSet } from './questions.ts'

/** What every workload gets. */
export interface Stage {
  readonly input: Input
  readonly questions: Readonly<Record<QuestionSet, readonly Question[]>>
  readonly ours: Form
  readonly peers: readonly Peer[]
  /** For files of this run alone; every party may write there. */
  readonly scratch: string
  readonly rounds: (usual: number) => number
  readonly note: (text: string) => void
  readonly tell: (finding: string) => void
}

export interface Peer {
  readonly name: 'DuckDB' | 'PostgreSQL'
  readonly version: string
  /** Database file, or folder of the socket. */
  readonly place: string
  /** None where it has no such format. */
  readonly forms: (kind: Kind) => Party['forms']
}
