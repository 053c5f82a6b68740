import type { Lanes } from './lanes.ts'
import type { Link } from './link.ts'
import type { Outcome } from './wanted.ts'

/** What everything that fetches in one run of the command shares. */
export interface Trip {
  readonly link: Link
  readonly lanes: Lanes
  /** Where the files' folders go. */
  readonly folder: string
  readonly patience: Patience
  readonly signal: AbortSignal
  /** The name that is free for a file: no two of one folder have the same. */
  readonly claim: (folder: string, name: string, id: string) => string
  /** Bytes that arrived, or negative: those that have to come again. */
  readonly onBytes: (count: number) => void
  /** More bytes are going to come than was known. */
  readonly onExpected: (bytes: number) => void
  readonly onOutcome: (outcome: Outcome) => Promise<void>
}

export interface Patience {
  /** Tries without any progress before a request is given up. */
  readonly tries: number
  /** The pause after the first of them; it doubles up to the longest. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

export const PATIENCE: Patience = { tries: 8, firstPauseMs: 500, longestPauseMs: 30_000 }
