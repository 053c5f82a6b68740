import type { Command } from 'commander'
import type { Executor } from '../../engine/shared/index.ts'
import type { Terminal } from '../terminal.ts'
import type { Input, Parameters, Piece, StoredPlan } from './plan.ts'
import type { Shard } from './shards.ts'

/** The result of reading the arguments and options of a command. */
export interface Prepared {
  readonly inputs: readonly Input[]
  readonly parameters: Parameters
  /** Additional data that all shards need. With these, a shard needs no data folder. */
  readonly text?: Uint8Array | undefined
}

/** Target size of shards. */
export type ShardSize = { readonly shards: number } | { readonly bytes: number }

/** Task of one shard. */
export interface ShardTask {
  readonly plan: StoredPlan
  readonly pieces: readonly Piece[]
  /** Empty folder to write to. */
  readonly folder: string
  readonly executor: Executor
  readonly terminal: Terminal
}

/** Task of joining all shards. */
export interface JoinTask {
  readonly plan: StoredPlan
  readonly shards: readonly Shard[]
  /** Command whose options name the data folder. */
  readonly command: Command
  /** Output file. Defaults to standard output. */
  readonly output: string | undefined
  readonly terminal: Terminal
}

/** A kind of work that can be divided into shards. */
export interface Kind {
  /** Builds the subcommand of `plan` for this kind, with its own argument and options. */
  readonly command: () => Command
  /** Default size of shards in bytes. */
  readonly shardBytes: number
  /** Estimates the bytes per line, for kinds that work on lines. */
  readonly bytesOfLine?: (inputs: readonly Input[]) => Promise<number>
  /**
   * Prepares the inputs and parameters of a plan.
   * @throws EngineError; usage errors through the command
   */
  readonly prepare: (
    paths: readonly string[],
    command: Command,
    terminal: Terminal,
  ) => Promise<Prepared>
  readonly cut: (prepared: Prepared, size: ShardSize, terminal: Terminal) => Promise<Piece[][]>
  /**
   * Runs a shard.
   * @returns the result that `join` receives; stored in the marker as JSON
   */
  readonly run: (task: ShardTask) => Promise<unknown>
  /** Returns the part of a result that does not depend on which process runs the shard. By default, all of it. */
  readonly contentOf?: (result: unknown) => unknown
  /** Describes a result for people. */
  readonly summary: (result: unknown) => string
  /**
   * Joins all shards.
   * @throws IssuesFound after everything has been joined, if some input was rejected
   */
  readonly join: (task: JoinTask) => Promise<void>
}
