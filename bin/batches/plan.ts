import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { EngineError } from '../../engine/shared/index.ts'
import { explainSystemError, syncFolder, unlessAbsent } from '../../engine/shared/internal.ts'
import pkg from '../../package.json' with { type: 'json' }
import { writeSynced } from './synced-file.ts'

const Input = z.strictObject({
  /** Path as given, for messages. */
  name: z.string(),
  /** Absolute path. */
  path: z.string(),
  size: z.int().nonnegative(),
  /** Modification time in nanoseconds since the epoch, as text because a double cannot represent it. */
  modified: z.string().regex(/^-?\d+$/),
})

const Piece = z.strictObject({
  /** Index of the input. */
  input: z.int().nonnegative(),
  /** Byte range of the input, 0-based and half-open. */
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** Place in a registry file. */
  place: z
    .strictObject({
      line: z.int().positive(),
      patients: z.int().nonnegative(),
      rootItems: z.int().nonnegative(),
      rootIds: z.array(z.string()),
      isFirst: z.boolean(),
    })
    .optional(),
  /** Whether a registry file ends with the piece. */
  isLast: z.boolean().optional(),
})

const Plan = z.strictObject({
  casemill: z.string(),
  kind: z.string(),
  /** Parameters of the work besides its input. */
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** SHA-256 of further data, which are in a separate file. */
  text: z.string().optional(),
  inputs: z.array(Input),
  /** Pieces of each shard, in input order. */
  shards: z.array(z.array(Piece)).min(1),
})

/** A file as it was when the plan was made. */
export type Input = Readonly<z.infer<typeof Input>>
export type Piece = Readonly<z.infer<typeof Piece>>
export type Parameters = Readonly<Record<string, string | number | boolean>>

/** The work, its inputs and their division into shards. */
export interface Plan {
  readonly kind: string
  readonly parameters: Parameters
  readonly inputs: readonly Input[]
  readonly shards: readonly (readonly Piece[])[]
}

/** A plan stored in a folder. */
export interface StoredPlan extends Plan {
  readonly folder: string
  /** Returns the name of a path in the folder for messages. */
  readonly shownPath: (path: string) => string
  /** SHA-256 of the plan file. Markers of shards contain it. */
  readonly id: string
  readonly hasText: boolean
  /** Reads the further data of the plan. */
  text(): Promise<Buffer | undefined>
}

/** Maximum number of shards, more than job arrays of clusters allow. */
export const MAX_SHARDS = 100_000

export const PLAN = 'plan.json'
export const TEXT = 'text'

/**
 * Returns a file as an input.
 * @throws EngineError `not_found`, `unavailable`, `bad_input` if it is not a file
 */
export async function inputAt(name: string): Promise<Input> {
  const stats = await stat(name, { bigint: true }).catch((cause: unknown) => {
    throw explainSystemError(cause, name)
  })
  if (!stats.isFile()) {
    throw new EngineError(
      'bad_input',
      `${JSON.stringify(name)} is not a file; give the path of a file`,
    )
  }
  const { size, mtimeNs } = stats
  return { name, path: resolve(name), size: Number(size), modified: String(mtimeNs) }
}

/**
 * Returns an input by its index.
 * @throws EngineError `corrupt_source` if the plan has no such input
 */
export function inputOf({ inputs }: Plan, number: number): Input {
  const input = inputs[number]
  if (input) return input
  throw new EngineError(
    'corrupt_source',
    'the plan has a piece that belongs to no input; make a new plan',
  )
}

/**
 * Checks that an input has not changed since the plan was made.
 * @throws EngineError `conflict` if it has changed, `not_found` if it is missing
 */
export async function requirePlannedInput({ name, path, size, modified }: Input): Promise<void> {
  const now = await inputAt(path)
  if (now.size === size && now.modified === modified) return
  throw new EngineError(
    'conflict',
    `${JSON.stringify(name)} was changed since the plan was made; make a new plan in another folder`,
  )
}

/**
 * Writes a plan atomically to a folder that does not exist or is empty.
 * @returns false if the folder has the same plan already
 * @throws EngineError `conflict` if the folder has something else, `unavailable`
 */
export async function writePlan(
  folder: string,
  plan: Plan,
  text: Uint8Array | undefined,
): Promise<boolean> {
  const target = resolve(folder)
  const head = { casemill: pkg.version, kind: plan.kind, parameters: plan.parameters }
  const bytes = Buffer.from(
    `${JSON.stringify({ ...head, ...(text ? { text: sha256(text) } : {}), inputs: plan.inputs, shards: plan.shards })}\n`,
  )
  const part = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`)
  try {
    await mkdir(part, { recursive: true })
    if (text) await writeSynced(join(part, TEXT), text)
    await writeSynced(join(part, PLAN), bytes)
    await syncFolder(part)
    await rename(part, target)
    await syncFolder(dirname(target))
    return true
  } catch (cause) {
    await rm(part, { recursive: true, force: true })
    if (!isThere(cause)) throw explainSystemError(cause, folder)
  }
  if ((await unlessAbsent(readFile(join(target, PLAN))))?.equals(bytes)) return false
  const what = JSON.stringify(folder)
  const message = `the folder ${what} has another plan, or other files; give a new folder`
  throw new EngineError('conflict', message)
}

/** Returns whether a folder could not be renamed because the target is not empty. */
export function isThere(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOTEMPTY' || code === 'EEXIST'
}

/**
 * Reads a plan.
 * @throws EngineError `not_found`, `corrupt_source`; `conflict` if another version of casemill made it
 */
export async function readPlan(folder: string): Promise<StoredPlan> {
  const path = join(folder, PLAN)
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw explainSystemError(cause, path)
  })
  const plan = parsePlan(bytes, path)
  if (plan.casemill !== pkg.version) {
    throw new EngineError(
      'conflict',
      `the plan in ${JSON.stringify(folder)} was made by casemill ${plan.casemill} and this is ${pkg.version}; use that version, or make a new plan`,
    )
  }
  return {
    ...plan,
    folder,
    shownPath: (path) => path,
    id: sha256(bytes),
    hasText: plan.text !== undefined,
    text: async () => {
      if (plan.text === undefined) return undefined
      const text = await readFile(join(folder, TEXT))
      if (sha256(text) === plan.text) return text
      const message = `the file "${join(folder, TEXT)}" has changed since the plan was made; make a new plan`
      throw new EngineError('corrupt_source', message)
    },
  }
}

function parsePlan(bytes: Buffer, path: string): z.infer<typeof Plan> {
  try {
    return Plan.parse(JSON.parse(bytes.toString()))
  } catch (cause) {
    const message = `"${path}" is not a plan; make one with casemill plan`
    throw new EngineError('corrupt_source', message, { cause })
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
