import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Command } from 'commander'
import { z } from 'zod'
import {
  type Counted,
  LineBatches,
  MultiplePrimaries,
  Naaccr,
  RESULT_FORMATS,
  RegistryFiles,
  type ResultFormat,
  Staging,
} from '../../engine/registry/index.ts'
import {
  Counts,
  closingOf,
  describeEnd,
  type FilePart,
  type PlannedFile,
  partsOf,
  stagePart,
  wholeFile,
} from '../../engine/registry/internal.ts'
import {
  EngineError,
  type ErrorCode,
  generatedStream,
  inlineExecutor,
} from '../../engine/shared/index.ts'
import { isObject, pack, shared, unpack } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { deliver } from '../deliver.ts'
import { FileTotals } from '../file-totals.ts'
import { IssuesFound } from '../frame.ts'
import { errorsText, isGzipFile, openLines, readLines } from '../line-file.ts'
import { dictionaryFinder } from '../registry-file.ts'
import {
  addRunOptions,
  explain,
  KINDS_OF_COUNTS,
  type RunOptions,
  recodesOf,
  requestedAlgorithms,
  stagedBy,
} from '../registry-run.ts'
import { ANSWERS, otherContent, requireSize, spanOf } from './answers-file.ts'
import type { JoinTask, Kind, ShardTask } from './kind.ts'
import { inputAt, inputOf, type Piece, type StoredPlan } from './plan.ts'
import type { Shard } from './shards.ts'
import { writeSynced } from './synced-file.ts'

/** Default size of a shard: some 60,000 tumors. */
const SHARD_BYTES = 256 << 20

const PieceResult = z.strictObject({
  errors: z.int().nonnegative(),
  /** Size of the answers. */
  bytes: z.int().nonnegative(),
  patients: z.int().nonnegative(),
  tumors: z.int().nonnegative(),
  counts: z.array(z.custom<Counted>(isObject)),
  /** The error that ended the file within the piece. */
  end: z
    .strictObject({
      error: z.strictObject({
        code: z.custom<ErrorCode>((code) => typeof code === 'string'),
        message: z.string(),
        at: z.string().optional(),
      }),
      nextLine: z.int().positive(),
    })
    .optional(),
})
type PieceResult = z.infer<typeof PieceResult>

const Result = z.strictObject({ sha256: z.string(), pieces: z.array(PieceResult) })

/** Stages, recodes and compares the patients of registry files like `casemill registry`. */
export const REGISTRY: Kind = {
  command: () =>
    addRunOptions(
      new Command('registry')
        .description(
          'divide the input of `casemill registry` into shards of whole patients; the plan contains the algorithms',
        )
        .argument(
          '<files...>',
          'NAACCR XML, or fixed columns of version 18, plain or gzip; one file for --format xml',
        ),
      RESULT_FORMATS,
    ),
  shardBytes: SHARD_BYTES,
  prepare: async (paths, command, terminal) => {
    const options = command.opts<RunOptions<ResultFormat>>()
    if (options.format === 'xml' && paths.length > 1) {
      return command.error('--format xml is for one file; make a plan for each')
    }
    if (paths.includes('-')) {
      throw new EngineError('bad_input', 'standard input cannot be split into shards; give files')
    }
    const inputs = await Promise.all(paths.map((path) => inputAt(path)))
    const planned = await withSharedState(command, { create: false }, async (state) => {
      const staging = new Staging({ state, clock: () => new Date() })
      const version = await requestedAlgorithms(staging, options, command)
      const { dictionary, endYear, items, format, strict } = options
      const { signal } = terminal
      const findDictionary = await dictionaryFinder(dictionary, new Naaccr({ state }), signal)
      const multiplePrimaries = new MultiplePrimaries({ state })
      const batches = new LineBatches(inlineExecutor)
      const files = new RegistryFiles({ batches, multiplePrimaries })
      const recodes = recodesOf(options)
      const run = { version, findDictionary, recodes, endYear, items, format, strict }
      const made: PlannedFile[] = []
      for (const path of paths) made.push(await files.plan(await openLines(path), run))
      return made
    })
    return { inputs, parameters: {}, text: pack(planned) }
  },
  cut: async ({ inputs, text }, size, terminal) => {
    const planned = plannedIn(text)
    const isGzip = await Promise.all(inputs.map(({ path }) => isGzipFile(path)))
    const total = inputs.reduce((sum, { size: bytes }, i) => sum + (isGzip[i] ? 0 : bytes), 0)
    const bytes = 'bytes' in size ? size.bytes : Math.max(1, Math.ceil(total / size.shards))
    const shards: Piece[][] = []
    let isOpen = false
    for (const [input, { name, path, size: length }] of inputs.entries()) {
      if (isGzip[input]) {
        terminal.explain(`casemill: ${name} is gzip, which cannot be split, so it is one shard`)
        shards.push([{ input, ...wholeFile(length), place: placeOf(wholeFile(length)) }])
        isOpen = false
        continue
      }
      const { form } = plannedFile(planned, input)
      for await (const part of partsOf(await openLines(path), form, bytes)) {
        const piece: Piece = { input, ...part, place: placeOf(part) }
        const last = shards.at(-1)
        if (isOpen && last) last.push(piece)
        else shards.push([piece])
        const held = shards.at(-1) ?? []
        isOpen = held.reduce((sum, { start, end }) => sum + end - start, 0) < bytes
      }
    }
    return shards
  },
  run: stagePieces,
  summary: (result) => {
    const { pieces } = Result.parse(result)
    const errors = sumOf(pieces, 'errors')
    const what = `${sumOf(pieces, 'patients')} patients with ${sumOf(pieces, 'tumors')} tumors`
    return errors === 0 ? what : `${what}, ${errors} patients with an error as result`
  },
  join: joinPieces,
}

const placeOf = ({ place }: FilePart) => ({
  ...place,
  rootIds: [...place.rootIds],
})

const sumOf = (pieces: readonly PieceResult[], name: 'errors' | 'bytes' | 'patients' | 'tumors') =>
  pieces.reduce((sum, piece) => sum + piece[name], 0)

/** Reads the further data of a plan. Bytes that threads need are in shared memory. */
function plannedIn(text: Uint8Array | undefined): readonly PlannedFile[] {
  const planned = text ? unpack<readonly PlannedFile[]>(text) : []
  return planned.map(({ given, ...file }) => ({
    ...file,
    given: {
      ...given,
      stagings: given.stagings.map(({ staging, ...chosen }) => ({
        ...chosen,
        staging: { ...staging, version: inSharedMemory(staging.version) },
      })),
      primaries: { ...given.primaries, tables: inSharedMemory(given.primaries.tables) },
    },
  }))
}

const inSharedMemory = <Text extends { readonly bytes?: Uint8Array }>(text: Text): Text =>
  text.bytes ? { ...text, bytes: shared(text.bytes) } : text

function plannedFile(planned: readonly PlannedFile[], input: number): PlannedFile {
  const file = planned[input]
  if (file) return file
  throw new EngineError('corrupt_source', 'the plan lacks data of an input; make a new plan')
}

async function stagePieces(task: ShardTask): Promise<z.infer<typeof Result>> {
  const { plan, pieces, folder, executor, terminal } = task
  const { signal } = terminal
  const planned = plannedIn(await plan.text())
  const batches = new LineBatches(executor)
  const sum = createHash('sha256')
  const results: PieceResult[] = []
  async function* answers(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      const { path, name } = inputOf(plan, piece.input)
      const { place, isLast = true } = piece
      if (!place) throw new EngineError('corrupt_source', 'a piece has no place; make a new plan')
      const chunks = await ((await isGzipFile(path)) ? openLines(path) : readLines(path, piece))
      const part = { chunks, place, isLast }
      const file = plannedFile(planned, piece.input)
      await using staged = await stagePart(batches, file, part, { signal, file: name })
      let bytes = 0
      for await (const chunk of staged.body) {
        sum.update(chunk)
        bytes += chunk.length
        yield chunk
      }
      const { counts, ...read } = staged.summary()
      const end = staged.end()
      results.push({
        ...read,
        counts: [...counts],
        errors: staged.errors(),
        bytes,
        ...(end && { end: { nextLine: end.nextLine, error: describedError(end.error) } }),
      })
    }
  }
  await writeSynced(join(folder, ANSWERS), answers())
  return { sha256: sum.digest('hex'), pieces: results }
}

const describedError = ({ code, message, at }: ErrorOfFile) => ({
  code,
  message,
  ...(at !== undefined && { at }),
})

/** The error that ended a file. */
type ErrorOfFile = NonNullable<ReturnType<Awaited<ReturnType<typeof stagePart>>['end']>>['error']

/** A file whose pieces are joined, up to the piece that ends it. */
interface JoinedFile {
  readonly name: string
  readonly pieces: PieceResult[]
  error?: EngineError
  /** Whether the patients before an error keep their answers. */
  isAnswered: boolean
}

async function joinPieces({ plan, shards, output, terminal }: JoinTask): Promise<void> {
  const planned = plannedIn(await plan.text())
  const results = shards.map((shard, i) => {
    const result = Result.parse(shard.result)
    if (result.pieces.length !== plan.shards[i]?.length) throw otherContent(shard)
    return { ...result, shard, pieces: plan.shards[i] ?? [], results: result.pieces }
  })
  for (const { shard, results: of } of results) await requireSize(shard, sumOf(of, 'bytes'))
  const files = joinedFiles(plan, planned, results)
  const [only] = files
  // Nothing of a single file is written that is refused as a whole.
  if (files.length === 1 && only?.error && !only.isAnswered) throw only.error
  const answers = generatedStream(
    { rest: joinedAnswers(results, files, planned, terminal.signal) },
    { giveBack: () => {} },
  )
  await deliver(answers, output, terminal)
  tell(files, terminal)
}

interface ShardResult {
  readonly shard: Shard
  readonly sha256: string
  readonly pieces: readonly Piece[]
  readonly results: readonly PieceResult[]
}

function joinedFiles(
  plan: StoredPlan,
  planned: readonly PlannedFile[],
  shards: readonly ShardResult[],
): readonly JoinedFile[] {
  const files = plan.inputs.map(({ name }): JoinedFile => ({ name, pieces: [], isAnswered: true }))
  for (const { pieces, results } of shards) {
    for (const [i, result] of results.entries()) {
      const input = pieces[i]?.input ?? 0
      const file = files[input]
      if (!file || file.error) continue
      file.pieces.push(result)
      if (!result.end) continue
      const { strict } = plannedFile(planned, input).form
      const by = { patients: sumOf(file.pieces, 'patients'), strict }
      Object.assign(file, describeEnd(result.end, by))
    }
  }
  return files
}

async function* joinedAnswers(
  shards: readonly ShardResult[],
  files: readonly JoinedFile[],
  planned: readonly PlannedFile[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const header = planned[0]?.header ?? ''
  if (header !== '') yield Buffer.from(header)
  for (const { shard, sha256, pieces, results } of shards) {
    const sum = createHash('sha256')
    let start = 0
    for (const [i, result] of results.entries()) {
      const input = pieces[i]?.input ?? 0
      const file = files[input]
      const span = { start, end: start + result.bytes, sum, signal }
      start = span.end
      const isJoined = file?.isAnswered === true && file.pieces.includes(result)
      for await (const chunk of spanOf(shard, span)) if (isJoined) yield chunk
      const closing = isJoined && result.end ? closingOf(plannedFile(planned, input).form) : ''
      if (closing !== '') yield Buffer.from(closing)
    }
    if (sum.digest('hex') !== sha256) throw otherContent(shard)
  }
}

/**
 * Tells what failed, as `casemill registry` does.
 * @throws IssuesFound if a patient was not accepted; the error that ended a single file
 */
function tell(files: readonly JoinedFile[], terminal: JoinTask['terminal']): void {
  const totals = new FileTotals(KINDS_OF_COUNTS, stagedBy)
  let failed = 0
  for (const { name, pieces, error } of files) {
    const errors = sumOf(pieces, 'errors')
    if (errors > 0) terminal.explain(`casemill: ${errorsText(errors, name)}`)
    const counts = new Counts()
    for (const piece of pieces) counts.addAll(piece.counts)
    const summary = {
      patients: sumOf(pieces, 'patients'),
      tumors: sumOf(pieces, 'tumors'),
      counts: counts.list(),
    }
    totals.add(summary)
    explain(summary, name, terminal)
    if (errors > 0 || error) failed++
    if (error && files.length > 1) terminal.explain(`casemill: ${name}: ${error.message}`)
  }
  if (files.length > 1) totals.explain(terminal)
  const [only] = files
  if (files.length === 1 && only?.error) throw only.error
  if (failed > 0) throw new IssuesFound(`${failed} files have faults`)
}
