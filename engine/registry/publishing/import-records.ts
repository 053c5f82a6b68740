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
  /** Path of a file with one JSON object per line. Each has an id and the form in which an editor would post it. */
  readonly path: string
  /** The importer's name in histories. */
  readonly user: string
  readonly description?: string | undefined
  /** Whether to publish the records immediately. */
  readonly publish: boolean
  /** Whether to report what would change without storing anything. */
  readonly dryRun: boolean
}

/** The database and clock for an import. */
export interface RecordsTarget {
  /** The database that sharedState opens. @internal */
  readonly state: Database
  readonly clock: () => Date
}

/**
 * Loads all records of a file into an area, or none. Loading the same file again changes nothing.
 * @throws EngineError `bad_input`, naming file, line and member; `not_found` and similar if the file cannot be
 *   read
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

/** Maximum number of records in a file, which is loaded in one transaction. Areas have a few thousand. */
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
  // Parsing text that is nested without limit takes hundreds of megabytes.
  checkJsonBounds(Buffer.from(text), { source: at, at })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new EngineError('bad_input', `${at} is no JSON; give one object a line`, { at, cause })
  }
}
