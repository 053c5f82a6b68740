import type { DuckClient } from '../../search/duckdb/client.ts'
import type { Answer } from '../answers.ts'
import type { Kind, Of } from '../questions.ts'

/** Statements of one way; the last one gives the answer, or writes it to the path. */
export type Ask<K extends Kind> = (
  question: Of<K>,
  client: DuckClient,
  path: string,
) => Promise<Answer['value']>

export type WaysOf = { readonly [K in Kind]?: Readonly<Record<string, Ask<K>>> }
