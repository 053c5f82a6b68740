import { type JsonObject, objectsIn, textIn } from '../../../shared/input/json-value.ts'
import { type Standing, standingOf } from './sample-rule.ts'

/** A sample in the record of a case or file. */
export interface SampleFacts {
  readonly standing: Standing | undefined
  /** Names of the sample, its aliquots and its other descendants, in lower case. */
  readonly names: readonly string[]
  /** Name of the aliquot if there is exactly one, otherwise name of the sample. Undefined if neither has a name. */
  readonly name: string | undefined
}

export interface CaseFacts {
  readonly caseId: string
  readonly samples: readonly SampleFacts[]
}

export interface FileFacts {
  readonly fileId: string
  readonly fileName: string
  readonly bytes: number | undefined
  readonly access: 'open' | 'controlled'
  readonly caseIds: readonly string[]
  readonly samples: readonly SampleFacts[]
  /** Names of the entities of the file that are not samples. */
  readonly entities: readonly string[]
}

/** Returns facts about a case and its samples from the case's record. */
export function caseFacts(document: JsonObject): CaseFacts {
  return {
    caseId: String(document.case_id).toLowerCase(),
    samples: objectsIn(document.samples).map(sampleFacts),
  }
}

/**
 * Returns facts about a file. A file without an access level is controlled (data-commons.md 5.3: closed by
 * default).
 */
export function fileFacts(document: JsonObject): FileFacts {
  const cases = objectsIn(document.cases)
  const entities = objectsIn(document.associated_entities)
  const caseIds = [...cases, ...entities].flatMap((each) => textIn(each.case_id) ?? [])
  const size = document.file_size
  return {
    fileId: String(document.file_id).toLowerCase(),
    fileName: textIn(document.file_name) ?? '',
    bytes: typeof size === 'number' ? size : undefined,
    access: document.access === 'open' ? 'open' : 'controlled',
    caseIds: [...new Set(caseIds.map((id) => id.toLowerCase()))],
    samples: cases.flatMap((each) => objectsIn(each.samples)).map(sampleFacts),
    entities: entities.flatMap((each) => {
      return textIn(each.entity_submitter_id) ?? textIn(each.entity_id) ?? []
    }),
  }
}

function sampleFacts(sample: JsonObject): SampleFacts {
  const names = new Set<string>()
  collectNames(sample, names)
  const aliquots = objectsIn(sample.portions)
    .flatMap((portion) => objectsIn(portion.analytes))
    .flatMap((analyte) => objectsIn(analyte.aliquots))
  const [aliquot] = aliquots
  const name = aliquot && aliquots.length === 1 ? nameOf(aliquot, 'aliquot_id') : undefined
  return {
    standing: standingOf(sample),
    names: [...names],
    name: name ?? nameOf(sample, 'sample_id'),
  }
}

const nameOf = (entity: JsonObject, id: string) => textIn(entity.submitter_id) ?? textIn(entity[id])

const NAMES = ['submitter_id', 'sample_id', 'aliquot_id']
const LISTS = ['portions', 'analytes', 'aliquots']

function collectNames(entity: JsonObject, names: Set<string>): void {
  for (const name of NAMES) {
    const text = textIn(entity[name])
    if (text !== undefined) names.add(text.toLowerCase())
  }
  for (const list of LISTS) for (const each of objectsIn(entity[list])) collectNames(each, names)
}
