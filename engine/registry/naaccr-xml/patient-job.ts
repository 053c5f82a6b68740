import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import { Counts, type Found } from '../ndjson-batch/counts.ts'
import { LONGEST_LINE } from '../ndjson-batch/limits.ts'
import type { LinesRun } from '../ndjson-batch/line-batches.ts'
import { type AnsweredChunk, AnswerMemory, REFUSED } from '../ndjson-batch/line-job.ts'
import { bridgedValues } from './bridged-items.ts'
import type { FileForm } from './file-form.ts'
import type { Items, Patient } from './model.ts'
import type { PatientLine } from './patient-line.ts'
import { type BlockEnd, BlockReader } from './read-blocks.ts'
import type { PatientBlock } from './split-file.ts'
import type { ItemValues } from './stage-tumor.ts'

/** Counts items that violate their dictionary. */
const FAULT = 'fault'

/** Maximum number of faults reported per patient. */
const MAX_TOLD = 100

/** A FileForm as it is sent to threads, without copying. */
export interface FormText {
  /** Unique for each form. */
  readonly key: string
  /** UTF-8 JSON in shared memory. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
}

/** Answers patients. The answer ends with a line end, unless it is a part of a file or empty. */
export interface PatientAnswerer {
  /**
   * Findings are summed over all patients.
   * @throws EngineError if the patient is not accepted
   */
  readonly answer: (line: PatientLine, count: (found: Found) => void, patient: Patient) => string
  /** Formats the answer to a patient that is not accepted. */
  readonly fail: (line: number, error: EngineError, patient: Patient) => string
  /** Whether patients without a tumor are skipped. */
  readonly tumorsOnly?: boolean
}

export interface GivenForm {
  readonly fileForm: FormText
}

/** Input: a block, and how to read and answer it. */
export type PatientJob<Given extends object> = Job<
  PatientBlock & Pick<LinesRun, 'file'> & Given & GivenForm,
  AnsweredPatients
>

/** Output: the answers to a block, and counts of its contents. */
export interface AnsweredPatients extends AnsweredChunk {
  readonly patients: number
  readonly tumors: number
  /** Faults and bridged items. */
  readonly readCounts: ReturnType<Counts['list']>
  readonly nextLine: number
  /** The error that ended the file after the patients of the block. */
  readonly ended?: Pick<EngineError, 'code' | 'message' | 'at'>
}

/** Creates a job that reads the patients of a block and answers each. */
export function patientJob<Given extends object>(
  name: string,
  answererOf: (
    given: Given & Pick<LinesRun, 'file'>,
    scratch: Scratch,
    reader: BlockReader,
  ) => PatientAnswerer,
): PatientJob<Given> {
  return {
    name,
    run: (block, scratch) => {
      const reader = readerFor(block.fileForm, scratch)
      return answerPatients(block, reader, answererOf(block, scratch, reader))
    },
    transfer: ({ rest }) => (rest ? [rest.buffer] : []),
  }
}

const MAX_CACHED_FORMS = 8

function readerFor({ key, bytes }: FormText, scratch: Scratch): BlockReader {
  const cache = scratch.cached('registry files', () => new LruCache<BlockReader>(MAX_CACHED_FORMS))
  return cache.of(
    key,
    () => new BlockReader(JSON.parse(Buffer.from(bytes.buffer).toString()) as FileForm),
  )
}

function answerPatients(
  block: PatientBlock,
  reader: BlockReader,
  { answer, fail, tumorsOnly = false }: PatientAnswerer,
): AnsweredPatients {
  const memory = new AnswerMemory(block)
  const counts = new Counts()
  const read = new ReadCounts()
  let errors = 0
  let lines = 0
  const count = (found: Found) => counts.add(found)
  const found = reader.patients(memory.chunk, block.place)
  let next = found.next()
  for (; !next.done; next = found.next()) {
    const patient = next.value
    read.add(patient)
    if (tumorsOnly && patient.tumors.length === 0) continue
    lines++
    try {
      memory.write(answer(lineOf(patient, reader, read.counts), count, patient))
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      errors++
      counts.add({ kind: REFUSED, code: error.code, line: patient.line })
      memory.write(fail(patient.line, error, patient))
    }
  }
  const { rest, rootFaults, error, nextLine }: BlockEnd = next.value
  read.addFaults(rootFaults)
  if (!error) memory.write(rest)
  return {
    ...memory.answers(),
    lines,
    errors,
    counts: counts.list(),
    patients: read.patients,
    tumors: read.tumors,
    readCounts: read.counts.list(),
    nextLine,
    ...(error && { ended: { code: error.code, message: error.message, at: error.at } }),
  }
}

class ReadCounts {
  readonly counts = new Counts()
  patients = 0
  tumors = 0

  add({ tumors, faults }: Patient): void {
    this.patients++
    this.tumors += tumors.length
    this.addFaults(faults)
  }

  addFaults(faults: Patient['faults']): void {
    for (const { code, item, line } of faults) {
      this.counts.add({ kind: FAULT, code, of: item, line })
    }
  }
}

/**
 * Returns a patient with only the items that rules read.
 * @throws EngineError `too_large` if these exceed the maximum length of a line
 */
function lineOf(
  { line, items, tumors, faults }: Patient,
  { used, bridges }: BlockReader,
  counts: Counts,
): PatientLine {
  let characters = 0
  const only = (all: Items, at: number): ItemValues => {
    const some: Record<string, string> = {}
    const add = (item: string, value: string) => {
      some[item] = value
      characters += item.length + value.length
    }
    for (const [item, value] of all) if (used.has(item)) add(item, value)
    const bridged = bridgedValues(all, bridges, (found) => counts.add({ ...found, line: at }))
    for (const [item, value] of bridged) add(item, value)
    if (characters <= LONGEST_LINE) return some
    throw new EngineError('too_large', `the line is longer than ${LONGEST_LINE} bytes`)
  }
  return {
    line,
    items: only(items, line),
    tumors: tumors.map((tumor) => ({ line: tumor.line, items: only(tumor.items, tumor.line) })),
    // All faults are counted, but only the first ones are reported.
    faults: faults.slice(0, MAX_TOLD),
  }
}
