import { EngineError } from '../../shared/errors.ts'
import { findRecode, findVersion } from '../recodes/answer.ts'
import type { Texts } from '../recodes/recode.ts'
import { RECODES } from '../recodes/recodes.ts'
import type { ItemValues } from './stage-tumor.ts'

/** The items that recodes look at, by what recodes call them. */
const ITEMS: Readonly<Record<string, string>> = {
  site: 'primarySite',
  hist: 'histologicTypeIcdO3',
  behavior: 'behaviorCodeIcdO3',
  year: 'dateOfDiagnosis',
  schema_id: 'schemaId',
  grade_clinical: 'gradeClinical',
  grade_pathological: 'gradePathological',
  eod_tumor_size: 'eodTumorSize',
  cs_tumor_size: 'csTumorSize',
  tumor_size_summary: 'tumorSizeSummary',
}

/** Recodes all of whose inputs are items of a tumor. */
const OF_TUMORS = RECODES.filter(({ inputs }) => Object.keys(inputs).every((name) => ITEMS[name]))

/** What a tumor can be recoded to. */
export const TUMOR_RECODES: readonly string[] = Object.freeze(OF_TUMORS.map(({ id }) => id))

/** What a tumor is recoded to where nothing else is asked. */
export const DEFAULT_RECODES: readonly string[] = Object.freeze(['seer', 'iccc', 'aya', 'behavior'])

/** Items that are looked at. */
export const RECODED_ITEMS: readonly string[] = Object.freeze(Object.values(ITEMS))

/** A recode and its version, by ids. */
export interface ChosenRecode {
  readonly recode: string
  readonly version: string
}

/**
 * Recodes by their names, `seer` or with a version `seer:2023`; each once.
 * @throws EngineError bad_input, naming what there is
 */
export function chooseRecodes(names: readonly string[]): readonly ChosenRecode[] {
  const chosen = new Map<string, ChosenRecode>()
  for (const name of names) {
    const [id = '', version] = name.split(':')
    const recode = findRecode(OF_TUMORS, id)
    if (chosen.has(id)) {
      const message = `the recode ${id} is asked twice; give one version of it`
      throw new EngineError('bad_input', message, { at: 'recode' })
    }
    chosen.set(id, { recode: id, version: findVersion(recode, version).id })
  }
  return [...chosen.values()]
}

/** What chosen recodes answer, as `seer.site_group`. */
export const recodeOutputs = (chosen: readonly ChosenRecode[]): readonly string[] =>
  chosen.flatMap(({ recode }) =>
    Object.keys(findRecode(OF_TUMORS, recode).outputs).map((output) => `${recode}.${output}`),
  )

/** Answers of recodes by their ids; one that lacks an input is left out. */
export type TumorRecodes = Readonly<Record<string, Texts>>

export type RecodeTumor = (items: ItemValues) => TumorRecodes

/** Makes what recodes tumors; tables are taken apart once. */
export function makeRecodeTumor(chosen: readonly ChosenRecode[]): RecodeTumor {
  const recodes = chosen.map(({ recode, version }) => {
    const { inputs, required } = findRecode(OF_TUMORS, recode)
    const names = Object.keys(inputs)
    return {
      ...{ id: recode, names, required },
      answer: findVersion(findRecode(OF_TUMORS, recode), version).make(),
    }
  })
  return (items) => {
    const answers: Record<string, Texts> = {}
    for (const { id, names, required, answer } of recodes) {
      const input = Object.fromEntries(names.map((name) => [name, inputOf(name, items)]))
      if (required.every((name) => input[name])) answers[id] = answer(input)
    }
    return answers
  }
}

function inputOf(name: string, items: ItemValues): string | undefined {
  const value = items[ITEMS[name] as string]
  return name === 'year' ? value?.slice(0, 4) : value
}
