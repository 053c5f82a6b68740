import { cellOf } from '../../shared/formats/table-cells.ts'
import type { VersionContent } from '../staging/algorithm/model.ts'
import type { PatientAnswer, TumorAnswer } from './answers.ts'
import { type ChosenRecode, recodeOutputs } from './tumor-recodes.ts'

const BEFORE = ['line', 'patientIdNumber', 'tumorRecordNumber', 'result', 'schema_id'] as const
const AFTER = ['schemas', 'discriminators', 'primary', 'questionable', 'errors', 'error'] as const

/** Columns of a table of tumors; those of recodes and outputs are named as these are. */
export interface TumorColumns {
  readonly recodes: readonly string[]
  /** Outputs of all schemas of the version. */
  readonly outputs: readonly string[]
}

/** The columns that tumors can have which are staged by a version. */
export function tumorColumns(
  { schemas }: Pick<VersionContent, 'schemas'>,
  recodes: readonly ChosenRecode[],
): TumorColumns {
  const own = new Set<string>([...BEFORE, ...AFTER])
  const outputs = new Set<string>()
  for (const { outputs: some = [] } of schemas.values()) {
    for (const { key, naaccr_xml_id: item } of some) outputs.add(item ?? key)
  }
  return {
    recodes: recodeOutputs(recodes),
    outputs: [...outputs].filter((output) => !own.has(output)).toSorted(),
  }
}

/** The columns by name, in order. */
export const namesOf = ({ recodes, outputs }: TumorColumns): readonly string[] => [
  ...BEFORE,
  ...AFTER,
  ...recodes,
  ...outputs,
]

/** A row for each tumor of a patient, tab-separated; the last line end is left out. */
export function rowsOf(answer: PatientAnswer, columns: TumorColumns): string {
  const { patientIdNumber, primaries } = answer
  const groups = new Map(primaries?.tumours.map(({ input, group }) => [input, group]))
  const places = new Map(primaries?.tumours.map(({ input }, place) => [input, place]))
  const isQuestionable = (tumor: number) =>
    primaries?.questionable.some(({ tumours }) => tumours.includes(places.get(tumor) ?? -1))
  const rows = answer.tumors.map((tumor, i) => {
    const group = groups.get(i)
    return lineOf([
      ...[String(tumor.line), patientIdNumber, tumor.tumorRecordNumber],
      ...[tumor.result, tumor.schema_id, tumor.schemas?.join(';'), tumor.discriminators?.join(';')],
      ...[group === undefined ? undefined : String(group + 1), isQuestionable(i) ? 'True' : ''],
      errorsOf(tumor),
      undefined,
      ...columns.recodes.map((name) => recodeOf(tumor, name)),
      ...columns.outputs.map((name) => tumor.output[name]),
    ])
  })
  return rows.join('\n')
}

/** The row of a patient that is answered by an error. */
export function errorRow(line: number, message: string, columns: TumorColumns): string {
  const cells = new Map([
    ['line', String(line)],
    ['error', message],
  ])
  return lineOf(namesOf(columns).map((name) => cells.get(name)))
}

const lineOf = (cells: readonly (string | undefined)[]) =>
  cells.map((cell) => cellOf(cell ?? '', false)).join('\t')

/** Types, and what they are of; messages name values. */
const errorsOf = ({ errors }: TumorAnswer) =>
  errors.map(({ type, table, key }) => [type, table ?? key ?? ''].join(' ').trim()).join(';')

function recodeOf({ recodes }: TumorAnswer, name: string): string | undefined {
  const [recode = '', output = ''] = name.split('.')
  return recodes?.[recode]?.[output]
}
