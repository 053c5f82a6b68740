import { cellOf } from '../../shared/formats/table-cells.ts'
import type { VersionContent } from '../staging/algorithm/model.ts'
import type { PatientAnswer, StagedByVersion, TumorAnswer } from './answers.ts'
import { type ChosenRecode, recodeOutputs } from './file-recodes.ts'

const BEFORE = ['line', 'patientIdNumber', 'tumorRecordNumber', 'result', 'schema_id'] as const
/** Additional columns if versions are selected per tumor: the version that staged the tumor, and further versions. */
const CHOSEN = [
  ...(['algorithm', 'version'] as const),
  ...(['further_algorithms', 'further_results', 'further_schemas'] as const),
] as const
const AFTER = ['schemas', 'discriminators', 'primary', 'questionable', 'errors', 'error'] as const

/** Columns of a table of tumors. Recodes and outputs have the names of their columns. */
export interface TumorColumns {
  /** Ids of the items that are repeated from the file. Their columns have the prefix `item.`. */
  readonly items?: readonly string[]
  readonly recodes: readonly string[]
  /** Outputs of all schemas of the versions. */
  readonly outputs: readonly string[]
  /** Whether versions are selected per tumor. */
  readonly isChosen: boolean
}

/**
 * Returns the columns of tumors that these versions stage.
 * @param algorithms of the versions, if they are selected per tumor; outputs without a standard item are then
 * named by algorithm and key, such as `eod_public.derived_version`
 */
export function tumorColumns(
  versions: readonly Pick<VersionContent, 'schemas'>[],
  recodes: readonly ChosenRecode[],
  algorithms?: readonly string[],
): TumorColumns {
  const own = new Set<string>([...BEFORE, ...CHOSEN, ...AFTER])
  const outputs = new Set<string>()
  for (const [place, { schemas }] of versions.entries()) {
    for (const { outputs: some = [] } of schemas.values()) {
      for (const { key, naaccr_xml_id: item } of some) {
        outputs.add(item ?? (algorithms ? `${algorithms[place]}.${key}` : key))
      }
    }
  }
  return {
    isChosen: algorithms !== undefined,
    recodes: recodeOutputs(recodes),
    outputs: [...outputs].filter((output) => !own.has(output)).toSorted(),
  }
}

/** Returns the column names in order. */
export const namesOf = ({
  items = [],
  recodes,
  outputs,
  isChosen,
}: TumorColumns): readonly string[] => [
  ...BEFORE,
  ...(isChosen ? CHOSEN : []),
  ...AFTER,
  ...items.map((item) => `item.${item}`),
  ...recodes,
  ...outputs,
]

/** Formats a tab-separated row for each tumor of a patient, without the last line ending. */
export function rowsOf(answer: PatientAnswer, columns: TumorColumns): string {
  const { patientIdNumber, primaries } = answer
  const groups = new Map(primaries?.tumours.map(({ input, group }) => [input, group]))
  const places = new Map(primaries?.tumours.map(({ input }, place) => [input, place]))
  const isQuestionable = (tumor: number) =>
    primaries?.questionable.some(({ tumours }) => tumours.includes(places.get(tumor) ?? -1))
  const rows = answer.tumors.map((tumor, i) => {
    const group = groups.get(i)
    const outputs = outputsOf(tumor)
    return lineOf([
      String(tumor.line),
      patientIdNumber,
      tumor.tumorRecordNumber,
      tumor.result,
      tumor.schema_id,
      ...(columns.isChosen ? chosenCells(tumor) : []),
      tumor.schemas?.join(';'),
      tumor.discriminators?.join(';'),
      group === undefined ? undefined : String(group + 1),
      isQuestionable(i) ? 'True' : '',
      errorsOf(tumor),
      undefined,
      ...(columns.items ?? []).map((item) => tumor.items?.[item]),
      ...columns.recodes.map((name) => recodeOf(tumor, name) ?? recodeOf(answer, name)),
      ...columns.outputs.map((name) => outputs.get(name)),
    ])
  })
  return rows.join('\n')
}

/** Formats the row of a patient that is answered with an error. */
export function errorRow(line: number, message: string, columns: TumorColumns): string {
  const cells = new Map([
    ['line', String(line)],
    ['error', message],
  ])
  return lineOf(namesOf(columns).map((name) => cells.get(name)))
}

const lineOf = (cells: readonly (string | undefined)[]) =>
  cells.map((cell) => cellOf(cell ?? '', false)).join('\t')

function chosenCells({ algorithm, version, further = [] }: TumorAnswer) {
  const joined = (cell: (one: StagedByVersion) => string | undefined) =>
    further.map((one) => cell(one) ?? '').join(';')
  return [
    algorithm,
    version,
    joined((one) => one.algorithm),
    joined(({ result }) => result),
    joined(({ schema_id }) => schema_id),
  ]
}

/** Returns the outputs by column name. A key that is not an item has two names. */
const outputsOf = ({ further = [], ...first }: TumorAnswer): ReadonlyMap<string, string> =>
  new Map(
    [first, ...further].flatMap(({ algorithm, output }) =>
      Object.entries(output).flatMap(([name, value]) => [
        [name, value] as const,
        [`${algorithm}.${name}`, value] as const,
      ]),
    ),
  )

/** Lists error types with their table or key, because messages may contain values. */
const errorsOf = ({ further = [], ...first }: TumorAnswer) =>
  [first, ...further]
    .flatMap(({ errors }) => errors)
    .map(({ type, table, key }) => [type, table ?? key ?? ''].join(' ').trim())
    .join(';')

function recodeOf({ recodes }: Pick<PatientAnswer, 'recodes'>, name: string): string | undefined {
  const [recode = '', output = ''] = name.split('.')
  return recodes?.[recode]?.[output]
}
