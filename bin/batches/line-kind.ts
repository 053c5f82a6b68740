import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { LineBatches, type LineSource } from '../../engine/registry/index.ts'
import type { LineJob } from '../../engine/registry/internal.ts'
import { EngineError, generatedStream } from '../../engine/shared/index.ts'
import { deliver } from '../deliver.ts'
import { IssuesFound } from '../frame.ts'
import { errorsText, isGzipFile, openLines, readLines } from '../line-file.ts'
import type { Terminal } from '../terminal.ts'
import { ANSWERS, otherContent, requireSize, spanOf } from './answers-file.ts'
import { bytesOfLine, cutLines, withGzipKnown } from './cut-lines.ts'
import type { JoinTask, Kind, Prepared, ShardSize, ShardTask } from './kind.ts'
import {
  type Input,
  inputAt,
  inputOf,
  type Parameters,
  type Piece,
  type StoredPlan,
} from './plan.ts'
import { renumbered } from './renumber.ts'
import { writeSynced } from './synced-file.ts'

/** Default size of a shard: about a million cases, some minutes of work. */
const SHARD_BYTES = 256 << 20

const Result = z.strictObject({
  bytes: z.int().nonnegative(),
  sha256: z.string(),
  /** Numbers of lines and errors, and size of the results, for each piece. */
  pieces: z.array(
    z.strictObject({
      lines: z.int().nonnegative(),
      errors: z.int().nonnegative(),
      bytes: z.int().nonnegative(),
    }),
  ),
})
type Result = z.infer<typeof Result>

/** Definition of a kind of work that processes files line by line. */
interface LineKindOptions<Given extends object> {
  readonly job: LineJob<Given>
  readonly command: () => Command
  /** Collects everything that the job needs, as of now. */
  readonly given: (
    inputs: readonly Input[],
    command: Command,
    terminal: Terminal,
  ) => Promise<Pick<Prepared, 'parameters' | 'text'>>
  /** Restores the job's input from the plan. */
  readonly taken: (parameters: Parameters, text: SharedText | undefined) => Given
}

type SharedText = Uint8Array<SharedArrayBuffer>

/** Creates a kind of work that writes one line for each line of input. */
export function lineKind<Given extends object>(options: LineKindOptions<Given>): Kind {
  return {
    command: options.command,
    shardBytes: SHARD_BYTES,
    bytesOfLine: async (inputs) => bytesOfLine(await withGzipKnown(inputs)),
    prepare: async (paths, command, terminal) => {
      const inputs: Input[] = []
      for (const path of paths) inputs.push(await lineInput(path))
      return { inputs, ...(await options.given(inputs, command, terminal)) }
    },
    cut: async ({ inputs }, size, terminal) => {
      const known = await withGzipKnown(inputs)
      for (const { name } of known.filter(({ isGzip }) => isGzip)) {
        terminal.explain(`casemill: ${name} is gzip, which cannot be split, so it is one shard`)
      }
      return cutLines(known, bytesOfShard(known, size))
    },
    run: (task) => answerPieces(task, options),
    summary: (result) => summaryOf(Result.parse(result)),
    join: joinAnswers,
  }
}

async function lineInput(path: string): Promise<Input> {
  if (path !== '-') return inputAt(path)
  throw new EngineError('bad_input', 'standard input cannot be split into shards; give files')
}

function bytesOfShard(inputs: Awaited<ReturnType<typeof withGzipKnown>>, size: ShardSize): number {
  if ('bytes' in size) return size.bytes
  const total = inputs.reduce((sum, each) => sum + (each.isGzip ? 0 : each.size), 0)
  return Math.max(1, Math.ceil(total / size.shards))
}

async function answerPieces<Given extends object>(
  { plan, pieces, folder, executor, terminal: { signal } }: ShardTask,
  { job, taken }: LineKindOptions<Given>,
): Promise<Result> {
  const given = taken(plan.parameters, await sharedText(plan))
  const batches = new LineBatches(executor)
  const sum = createHash('sha256')
  const counts: Result['pieces'] = []
  async function* answers(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      const { path, name } = inputOf(plan, piece.input)
      const lines = await linesOf(path, piece)
      const run = { signal, file: name }
      await using answered = await batches.start(lines, { job, given: () => given }, run)
      let bytes = 0
      for await (const chunk of answered.body) {
        sum.update(chunk)
        bytes += chunk.length
        yield chunk
      }
      counts.push({ lines: answered.lines(), errors: answered.errors(), bytes })
    }
  }
  await writeSynced(join(folder, ANSWERS), answers())
  const bytes = counts.reduce((all, each) => all + each.bytes, 0)
  return { bytes, sha256: sum.digest('hex'), pieces: counts }
}

async function sharedText({ text }: StoredPlan): Promise<SharedText | undefined> {
  const bytes = await text()
  if (!bytes) return undefined
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

/** Yields the lines of a piece of a file. A gzip file is always a single piece. */
async function linesOf(path: string, { start, end }: Piece): Promise<LineSource> {
  return (await isGzipFile(path)) ? openLines(path) : readLines(path, { start, end })
}

function summaryOf({ pieces }: Result): string {
  const [lines, errors] = [sumOf(pieces, 'lines'), sumOf(pieces, 'errors')]
  const summary = lines === 1 ? '1 line' : `${lines} lines`
  return errors === 0 ? summary : `${summary}, ${errors} with an error as result`
}

function sumOf(pieces: Result['pieces'], name: 'lines' | 'errors'): number {
  return pieces.reduce((sum, piece) => sum + piece[name], 0)
}

async function joinAnswers({ plan, shards, output, terminal }: JoinTask): Promise<void> {
  const { signal } = terminal
  const results = shards.map(({ result }) => Result.parse(result))
  const tallies = plan.inputs.map(() => ({ lines: 0, errors: 0 }))
  async function* joined(): AsyncGenerator<Uint8Array> {
    for (const [i, shard] of shards.entries()) {
      const pieces = plan.shards[i] ?? []
      const result = results[i]
      if (!result || result.pieces.length !== pieces.length) throw otherContent(shard)
      const sum = createHash('sha256')
      let start = 0
      for (const [j, { lines, errors, bytes }] of result.pieces.entries()) {
        const tally = tallies[pieces[j]?.input ?? 0]
        if (!tally) throw otherContent(shard)
        const answers = spanOf(shard, { start, end: start + bytes, sum, signal })
        // Line numbers in the results count from the start of the piece.
        yield* errors > 0 && tally.lines > 0 ? renumbered(answers, tally.lines) : answers
        start += bytes
        tally.lines += lines
        tally.errors += errors
      }
      if (sum.digest('hex') !== result.sha256) throw otherContent(shard)
    }
  }
  for (const [i, { bytes }] of results.entries()) await requireSize(shards[i], bytes)
  await deliver(generatedStream({ rest: joined() }, { giveBack: () => {} }), output, terminal)
  const wrong = plan.inputs.flatMap(({ name }, i) => {
    const errors = tallies[i]?.errors ?? 0
    return errors > 0 ? [errorsText(errors, name)] : []
  })
  for (const line of wrong) terminal.explain(`casemill: ${line}`)
  if (wrong.length > 0) throw new IssuesFound(`${wrong.length} files have lines with errors`)
}
