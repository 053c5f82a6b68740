import type { Command } from 'commander'
import type { Executor } from '../../engine/shared/index.ts'
import type { Terminal } from '../terminal.ts'
import type { Input, Parameters, Piece, StoredPlan } from './plan.ts'
import type { Shard } from './shards.ts'

/** What a kind of work makes of the paths and options of its command. */
export interface Prepared {
  readonly inputs: readonly Input[]
  readonly parameters: Parameters
  /** What else all shards have to know, so that none needs a data folder. */
  readonly text?: Uint8Array | undefined
}

/** How large shards are to be. */
export type ShardSize = { readonly shards: number } | { readonly bytes: number }

/** One shard to be done. */
export interface ShardTask {
  readonly plan: StoredPlan
  readonly pieces: readonly Piece[]
  /** Where to write; it is there and empty. */
  readonly folder: string
  readonly executor: Executor
  readonly terminal: Terminal
}

/** All shards to be put together. */
export interface JoinTask {
  readonly plan: StoredPlan
  readonly shards: readonly Shard[]
  /** Of the command, which has the data folder. */
  readonly command: Command
  /** Where to write; left out, standard output. */
  readonly output: string | undefined
  readonly terminal: Terminal
}

/** A kind of work that is done in shards. */
export interface Kind {
  /** Its command below `plan`, with argument and options, but for those of all kinds. */
  readonly command: () => Command
  /** The size of shards where none is given. */
  readonly shardBytes: number
  /** Of what has lines, about how many bytes one has. */
  readonly bytesOfLine?: (inputs: readonly Input[]) => Promise<number>
  /** @throws EngineError; a usage error by way of the command */
  readonly prepare: (
    paths: readonly string[],
    command: Command,
    terminal: Terminal,
  ) => Promise<Prepared>
  readonly cut: (
    inputs: readonly Input[],
    size: ShardSize,
    terminal: Terminal,
  ) => Promise<Piece[][]>
  /** @returns what the marker says to `join`, as JSON */
  readonly run: (task: ShardTask) => Promise<unknown>
  /** Of a result, what is the same whoever does the shard. Left out, all of it. */
  readonly contentOf?: (result: unknown) => unknown
  /** What a shard says of itself to people. */
  readonly told: (result: unknown) => string
  /** @throws IssuesFound when all is joined, and some of the input was not accepted */
  readonly join: (task: JoinTask) => Promise<void>
}
