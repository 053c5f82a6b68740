import {
  type FileSummary,
  isRegistryFile,
  type RefusedPatient,
  type SendProgress,
  sendRegistryFile,
} from './registry-file.ts'
import {
  type FileProgress,
  type FileResult,
  type StageFile,
  stageFile,
  Tally,
} from './stage-file.ts'
import type { Version } from './staging-data.ts'

interface StagedBy {
  readonly result: string
  readonly schema_id?: string
  readonly algorithm?: string
  readonly errors: readonly { readonly message: string }[]
  readonly output: Readonly<Record<string, string>>
}

type Recodes = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Answer of `/rest/naaccr/process` for a patient. */
interface ProcessedPatient {
  readonly line: number
  readonly patientIdNumber?: string
  readonly recodes?: Recodes
  readonly primaries?: {
    readonly tumours: readonly { readonly input: number; readonly group: number }[]
  }
  readonly tumors: readonly (StagedBy & {
    readonly line: number
    readonly tumorRecordNumber?: string
    readonly further?: readonly StagedBy[]
    readonly discriminators?: readonly string[]
    readonly items?: Readonly<Record<string, string>>
    readonly recodes?: Recodes
  })[]
}

/** Progress of a registry file, with what only these have. */
export interface ProcessProgress extends FileProgress {
  readonly step: SendProgress['step']
  /** The answers of the service, as JSON lines. */
  readonly answers?: Blob
  /** At the end of a registry file. */
  readonly summary?: FileSummary
}

/** Items of the file by the names of the inputs that they are for. */
const ITEMS = {
  site: 'primarySite',
  hist: 'histologicTypeIcdO3',
  year_dx: 'dateOfDiagnosis',
} as const

interface ProcessFile extends Omit<StageFile, 'service' | 'version' | 'onProgress'> {
  readonly service: StageFile['service'] & Parameters<typeof sendRegistryFile>[0]['service']
  /** Version for all tumors. */
  readonly version: Version
  /** Whether the service selects the algorithms of each tumor of a registry file instead. */
  readonly isChosen: boolean
  readonly onProgress: (progress: ProcessProgress) => void
}

/**
 * Stages a file: the cases of a table or of JSON lines, or the tumors of a registry file.
 * @returns the final counts
 * @throws Error as stageFile and sendRegistryFile
 */
export async function processFile(asked: ProcessFile): Promise<ProcessProgress> {
  const { file, onProgress } = asked
  if (await isRegistryFile(file)) return processRegistryFile(asked)
  const step = 'processing' as const
  const staged = await stageFile({
    ...asked,
    onProgress: (progress) => onProgress({ ...progress, step }),
  })
  return { ...staged, step }
}

async function processRegistryFile(asked: ProcessFile): Promise<ProcessProgress> {
  const { service, file, version, isChosen, onProgress, signal } = asked
  const tally = new Tally()
  let answers = new Blob([])
  let at: SendProgress = { step: 'sending', bytes: 0 }
  const tell = (more: Partial<ProcessProgress> = {}) => {
    const progress = { ...tally.progress(at.bytes), step: at.step, answers, ...more }
    onProgress(progress)
    return progress
  }
  const parts = sendRegistryFile<ProcessedPatient>({
    service,
    path: '/rest/naaccr/process',
    query: {
      ...(isChosen ? { algorithm: 'auto' } : { ...version }),
      items: Object.values(ITEMS).join(','),
    },
    file,
    onProgress: (progress) => {
      at = progress
      tell()
    },
    signal,
  })
  let summary: FileSummary | undefined
  for await (const part of parts) {
    for (const patient of part.patients) for (const one of resultsOf(patient)) tally.add(one)
    answers = new Blob([answers, part.text])
    summary = part.summary
    tell()
  }
  at = { ...at, bytes: file.size }
  return tell({ ...(summary && { summary }) })
}

/** Returns a result for each tumor, or one for a patient that was refused. */
export function resultsOf(patient: ProcessedPatient | RefusedPatient): readonly FileResult[] {
  const { line } = patient
  if ('error' in patient) {
    const { message } = patient.error
    return [{ line, inputs: {}, result: 'REFUSED', output: {}, messages: [message] }]
  }
  const { patientIdNumber = '', recodes: ofPatient, primaries, tumors } = patient
  const groups = new Map(primaries?.tumours.map(({ input, group }) => [input, group]))
  return tumors.map((tumor, place) => {
    const { items = {}, tumorRecordNumber = '', further = [], discriminators, ...first } = tumor
    const group = groups.get(place)
    const messages = [first, ...further].flatMap(({ errors }) => errors.map((one) => one.message))
    return {
      line: tumor.line,
      inputs: given({
        ...{ patientIdNumber, tumorRecordNumber },
        site: items[ITEMS.site],
        hist: items[ITEMS.hist],
        year_dx: items[ITEMS.year_dx]?.slice(0, 4),
      }),
      result: first.result,
      ...(first.schema_id && { schema_id: first.schema_id }),
      output: given({
        algorithm: first.algorithm,
        primary: group === undefined ? undefined : String(group + 1),
        ...Object.assign({}, ...[...further.toReversed(), first].map(({ output }) => output)),
        ...flat(ofPatient),
        ...flat(first.recodes),
      }),
      messages: discriminators
        ? [...messages, `the schema depends on ${discriminators.join(', ')}`]
        : messages,
    }
  })
}

/** Names the values of recodes by recode and output, such as `seer.group`. */
const flat = (recodes: Recodes = {}) =>
  Object.fromEntries(
    Object.entries(recodes).flatMap(([recode, values]) =>
      Object.entries(values).map(([name, value]) => [`${recode}.${name}`, value] as const),
    ),
  )

/** Leaves out values that are absent or empty. */
const given = (
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
  )
