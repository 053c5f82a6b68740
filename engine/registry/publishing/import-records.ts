import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Database } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { checkJsonBounds } from '../../shared/input/json-bounds.ts'
import { type Line, splitLines } from '../../shared/input/lines.ts'
import { explainSystemError } from '../../shared/input/system-error.ts'
import type { Area } from './definition.ts'
import { DISEASE } from './disease/definition.ts'
import { GLOSSARY } from './glossary/definition.ts'
import type { Loaded } from './loading.ts'
import { PublishingArea } from './publishing-area.ts'
import { RX } from './rx/definition.ts'

export interface ImportRecords {
  readonly area: Area
  /** A JSON object on each line, as an editor would post it, with an id. */
  readonly path: string
  /** What histories call whoever imports. */
  readonly user: string
  readonly description?: string | undefined
  /** Whether they are published at once. */
  readonly publish: boolean
  /** Finds out what would be done, and does nothing. */
  readonly dryRun: boolean
}

/** Where records are imported to. */
export interface RecordsTarget {
  /**
   * As sharedState opens it.
   * @internal
   */
  readonly state: Database
  readonly clock: () => Date
}

/**
 * Loads records of an area from a file, all of them or none; the same file again changes nothing.
 * @throws EngineError bad_input naming file, line and member; not_found and the like where the system does
 *   not let it be read
 */
export async function importRecords(
  target: RecordsTarget,
  { area, path, ...request }: ImportRecords,
): Promise<Loaded> {
  const lines = await readLines(path)
  return openArea[area](target).load(bodiesOf(path, lines), {
    ...request,
    placeOf: (index) => placeOf(path, lines[index]?.line ?? 0),
  })
}

const openArea = {
  rx: (target: RecordsTarget) => new PublishingArea({ ...target, definition: RX }),
  glossary: (target: RecordsTarget) => new PublishingArea({ ...target, definition: GLOSSARY }),
  disease: (target: RecordsTarget) => new PublishingArea({ ...target, definition: DISEASE }),
}

/** All of a file is in memory, and is loaded in one transaction; published areas have some thousand. */
const MAX_RECORDS = 100_000

function tooManyRecords(path: string): EngineError {
  const message = `${basename(path)} has more than ${MAX_RECORDS} records; load them in several files`
  return new EngineError('too_many', message)
}

async function readLines(path: string): Promise<Line[]> {
  const lines: Line[] = []
  try {
    for await (const some of splitLines(createReadStream(path))) {
      for (const line of some) lines.push(line)
      if (lines.length > MAX_RECORDS) throw tooManyRecords(path)
    }
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    if (cause instanceof FormatError) {
      throw new EngineError('bad_input', `${basename(path)}: ${cause.message}`, { cause })
    }
    throw explainSystemError(cause, path)
  }
  return lines
}

function* bodiesOf(path: string, lines: readonly Line[]): Generator<unknown> {
  for (const { line, text } of lines) yield parseLine(text, placeOf(path, line))
}

const placeOf = (path: string, line: number) => `${basename(path)}, line ${line}`

function parseLine(text: string, at: string): unknown {
  // Parsing text that is nested without an end takes hundreds of megabytes.
  checkJsonBounds(Buffer.from(text), at, at)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new EngineError('bad_input', `${at} is no JSON; give one object a line`, { at, cause })
  }
}
