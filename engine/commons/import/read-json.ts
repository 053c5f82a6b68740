import { isUtf8 } from 'node:buffer'
import { isObject, type JsonObject } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { datasetOfMembers, isMostlyKnown } from './dataset-of-record.ts'
import type { Intake } from './intake.ts'
import { splitElements } from './json-elements.ts'
import { repeatedMember } from './repeated-member.ts'
import { RowError } from './row-error.ts'

/**
 * Reads all records of a JSON source into the intake.
 * @throws FormatError if the source ends inside a record, or a record is too long
 * @throws EngineError bad_input for too many bad rows
 */
export async function readJson(
  chunks: AsyncIterable<Uint8Array>,
  intake: Intake,
  as: DatasetName | undefined,
): Promise<void> {
  for await (const elements of splitElements(chunks)) {
    for (const { bytes, line } of elements) {
      intake.row(line, () => {
        for (const record of recordsIn(parse(bytes))) {
          const dataset = as ?? datasetOfMembers(new Set(Object.keys(record)))
          if (!dataset)
            throw new RowError('nothing in the record shows which dataset it belongs to')
          intake.record(dataset, record)
        }
      })
    }
  }
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new RowError('the record is not UTF-8')
  const text = bytes.toString('utf8')
  const value = parseText(text)
  const repeated = repeatedMember(text, value)
  if (repeated === undefined) return value
  throw new RowError(`"${repeated}" occurs twice in one object of the record; keep one`)
}

function parseText(text: string): unknown {
  try {
    // Copying a member of this name would set the prototype of the object.
    return text.includes('__proto__') ? JSON.parse(text, withoutPrototype) : JSON.parse(text)
  } catch {
    throw new RowError('the record is no valid JSON')
  }
}

function withoutPrototype(name: string, value: unknown): unknown {
  return name === '__proto__' ? undefined : value
}

/**
 * Returns the record itself, or the record in the envelope of a single record.
 * @throws RowError if the value is no object
 */
function recordsIn(value: unknown): readonly JsonObject[] {
  if (!isObject(value)) throw new RowError('the record is no object')
  const { data } = value
  if (!isObject(data)) return [value]
  return 'hits' in data && !Array.isArray(data.hits) ? [] : [data]
}

const ID_MEMBER = new RegExp(
  `"(${Object.values(DATASETS)
    .map(({ idField }) => idField)
    .join('|')})"\\s*:`,
)

/**
 * Returns whether the first bytes of a JSON source look like records of the commons, in any envelope. Each
 * record is checked again when it is read.
 */
export async function looksLikeRecords(
  head: Buffer,
  as: DatasetName | undefined,
): Promise<boolean> {
  try {
    for await (const [first] of splitElements([head])) {
      const [record] = first ? recordsIn(parse(first.bytes)) : []
      if (record) return as !== undefined || isRecord(Object.keys(record))
    }
    // An empty list from the service is accepted.
    return as !== undefined || /"hits"\s*:/.test(head.toString('latin1'))
  } catch {
    // The first record is longer than the head.
    return ID_MEMBER.test(head.toString('latin1'))
  }
}

/** Responses of other endpoints may contain the id of a file or gene, but most of their members are unknown. */
function isRecord(names: readonly string[]): boolean {
  const dataset = datasetOfMembers(new Set(names))
  return dataset !== undefined && isMostlyKnown(dataset, names)
}
