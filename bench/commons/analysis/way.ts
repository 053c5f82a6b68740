import type { Answer } from './answers.ts'
import type { Kind, Question } from './questions.ts'

/** One way to answer questions of a kind. */
export interface Way {
  readonly name: string
  /** Milliseconds that each question takes, asked one after the other; answers are dropped. */
  times(questions: readonly Question[]): Promise<readonly number[]>
  answer(question: Question): Promise<Answer>
}

/** One series of a contest: the fastest of some ways counts. */
export interface Contestant {
  readonly name: string
  readonly ways: readonly Way[]
  /** Does only a part of the work, so there is no answer to compare. */
  readonly isPart?: true
}

/** Somebody who takes part; whoever cannot answer a kind of question has no contestants for it. */
export interface Peer {
  readonly versions: Readonly<Record<string, string>>
  readonly contestants: (kind: Kind) => readonly Contestant[]
  stop(): Promise<void>
}
