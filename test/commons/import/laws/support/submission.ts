import { EngineError, inlineExecutor } from '../../../../../engine/shared/index.ts'
import type { Json, JsonObject } from '../../../../../engine/shared/input/json-value.ts'
import {
  Dictionary,
  OWN_DICTIONARY,
} from '../../../../../engine/submission/dictionary/dictionary.ts'
import type { EntityType } from '../../../../../engine/submission/dictionary/entity-type.ts'
import { parseBody } from '../../../../../engine/submission/transactions/parse-body.ts'
import type { Submitted } from '../../../../../engine/submission/transactions/submitted.ts'
import { valueIssues } from '../../../../../engine/submission/transactions/validate-value.ts'
import { idsFrom, KINDS } from '../../../../../fixtures/release/ids.ts'
import { caseName } from '../../../../../fixtures/tables/cohort.ts'
import {
  key,
  type MadeTable,
  oneOf,
  orMissing,
  value,
  wholeNumber,
} from '../../../../../fixtures/tables/made-table.ts'
import type { GivenSource } from '../../support/documents.ts'
import type { Imported } from './imported.ts'

const IDS = idsFrom(1)

export const submissionTables = (rows: number): readonly MadeTable[] => [
  {
    fileName: 'samples.tsv',
    rows,
    columns: [
      key('type', () => 'sample'),
      key('submitter_id', (row) => `${caseName(row)}-S`),
      key('cases.submitter_id', caseName),
      value('tissue_type', oneOf('Tumor', 'Normal')),
      value('preservation_method', oneOf('FFPE', 'OCT', 'Snap Frozen')),
      value('freezing_method', oneOf('-80 "deep"', "the lab's own", 'liquid, nitrogen')),
      value('days_to_collection', orMissing('', wholeNumber(-400, 900))),
      value('passage_count', orMissing('', wholeNumber(0, 40))),
      value(
        'initial_weight',
        orMissing('', (random) => random.below(900) / 8),
      ),
    ],
  },
  {
    fileName: 'diagnoses.tsv',
    rows,
    columns: [
      key('type', () => 'diagnosis'),
      key('submitter_id', (row) => `${caseName(row)}-D`),
      key('cases.submitter_id', caseName),
      key('id', (row) => IDS.of(KINDS.diagnosis, row)),
      value('age_at_diagnosis', orMissing('', wholeNumber(9_000, 32_000))),
      // Lists are compared by element, so a changed list would count as several differences.
      key('sites_of_involvement', (row) =>
        row % 2 === 0 ? 'Kidney, Upper Pole|Kidney, Middle' : 'Skin',
      ),
      value('diagnosis_is_primary_disease', oneOf('true', 'false')),
      value('icd_10_code', oneOf('C34.1', 'C50.9')),
    ],
  },
]

/** Reads the documents of a submission. A document with an issue fails and is reported. */
export async function readSubmission(sources: readonly GivenSource[]): Promise<Imported> {
  const { types } = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
  const documents: JsonObject[] = []
  const told: string[] = []
  for (const { name, content } of sources) {
    try {
      for (const submitted of parseBody(Buffer.from(content), 'tsv', types)) {
        const issue = issueOf(submitted, types)
        if (issue !== undefined) told.push(`${name}: ${issue}`)
        else if ('document' in submitted) documents.push(submitted.document as JsonObject)
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      told.push(error.message)
    }
  }
  return { records: { submitted: documents }, told: told.toSorted() }
}

function issueOf(submitted: Submitted, types: ReadonlyMap<string, EntityType>): string | undefined {
  if (!('document' in submitted)) return 'no document'
  const { document, beyond } = submitted
  const type = types.get(String(document.type))
  if (beyond !== undefined || !type) return 'a row without a type'
  for (const [name, given] of Object.entries(document)) {
    const property = type.properties.get(name)
    if (!property && !type.links.has(name)) return `no property ${name}`
    const [issue] = property && !type.links.has(name) ? valueIssues(given as Json, property) : []
    if (issue) return `${name} ${issue.message}`
  }
  return undefined
}
