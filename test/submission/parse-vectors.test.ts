import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from '../../engine/submission/dictionary/dictionary.ts'
import { DocumentValidator } from '../../engine/submission/transactions/document-validator.ts'
import {
  parseBody,
  type SubmissionFormat,
} from '../../engine/submission/transactions/parse-body.ts'
import type { EntityDocument } from '../../engine/submission/transactions/submitted.ts'
import { tableRows } from '../../engine/submission/transactions/table-rows.ts'
import { available } from '../available.ts'
import { runPython } from '../peers/run-peer.ts'
import { readVector, readVectorText } from './support/published.ts'

let dictionary: Dictionary
beforeAll(async () => {
  dictionary = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
})

function documentsOf(body: Uint8Array, format: SubmissionFormat): readonly EntityDocument[] {
  const submitted = parseBody(body, format, dictionary.types)
  return submitted.map((one) => ('document' in one ? one.document : {}))
}

const vector = (name: string) =>
  documentsOf(readVectorText(name), name.endsWith('.csv') ? 'csv' : 'tsv')

describe.skipIf(!available.shared)('recorded tables', () => {
  test.each([
    ['Aliquots', 'aliquot', 'analytes'],
    ['Analytes', 'analyte', 'portions'],
    ['Cases', 'case', 'projects'],
    ['Portions', 'portion', 'samples'],
    ['Readgroups', 'read_group', 'aliquots'],
    ['Samples', 'sample', 'cases'],
  ])('%s are entities of one type, each with a parent', (name, type, link) => {
    const documents = vector(`gdc_docs_${name}.tsv`)
    expect(documents).toHaveLength(100)
    const key = type === 'case' ? 'code' : 'submitter_id'
    for (const document of documents) {
      expect(document).toMatchObject({ type, [link]: { [key]: expect.any(String) } })
    }
  })

  test('numbered columns and bars are what the documents have beside them', () => {
    const { json_equivalent, array_property } = readVector('multi_link_and_array.json') as {
      json_equivalent: Record<string, unknown>
      array_property: { tsv_cell: string; json: { sites_of_involvement: string[] } }
    }
    const { read_groups, ...plain } = json_equivalent as { read_groups: { submitter_id: string }[] }
    const columns = read_groups.map((_, i) => `read_groups.submitter_id#${i + 1}`)
    const header = [...Object.keys(plain), ...columns].join('\t')
    const row = [...Object.values(plain), ...read_groups.map(({ submitter_id }) => submitter_id)]
    expect(documentsOf(Buffer.from(`${header}\n${row.join('\t')}`), 'tsv')).toEqual([
      json_equivalent,
    ])
    const array = `type\tsites_of_involvement\ndiagnosis\t${array_property.tsv_cell}\n`
    expect(documentsOf(Buffer.from(array), 'tsv')).toEqual([
      { type: 'diagnosis', ...array_property.json },
    ])
  })

  test('two samples of a table are accepted as they were', () => {
    const { request_text } = readVector('11_submission.json') as { request_text: string }
    const documents = documentsOf(Buffer.from(request_text), 'tsv')
    expect(documents).toHaveLength(2)
    const validator = new DocumentValidator(dictionary)
    for (const document of documents) {
      const type = validator.typeOf(document)
      if (!('properties' in type)) throw new Error('no type')
      expect(validator.validate(document, type)).toEqual({ errors: [], warnings: [] })
    }
  })

  test('line ends of all kinds, blanks and blank cells are read as they are described', () => {
    const first = {
      type: 'sample',
      submitter_id: 'BLGSP-71-06-00001-S1',
      shortest_dimension: 0.1,
      cases: { submitter_id: 'BLGSP-71-06-00019' },
      sample_type: 'Primary Tumor',
    }
    for (const name of ['samples1.tsv', 'samples1.csv', 'whitespace.tsv']) {
      const documents = vector(`sheepdog_${name}`)
      expect([name, documents.length]).toEqual([name, 2])
      expect(documents[0]).toMatchObject(first)
      expect(documents[0]).not.toHaveProperty('oct_embedded')
    }
    const [blank] = vector('sheepdog_samples2.tsv')
    expect(blank).not.toHaveProperty('id')
    expect(blank).toMatchObject({ cases: { submitter_id: 'BLGSP-71-06-00019' } })
    const parents = [
      { submitter_id: 'BLGSP-71-06-00005-99A-01D' },
      { submitter_id: 'BLGSP-71-06-00005-01A-21R' },
    ]
    expect(vector('sheepdog_files.tsv')[0]).toMatchObject({ file_size: 42, aliquots: parents })
    expect(vector('sheepdog_file_empty_link.tsv')[0]).toMatchObject({ aliquots: parents })
    expect(vector('sheepdog_file_empty_link.tsv')[0]).not.toHaveProperty('slides')
    expect(vector('sheepdog_diagnosis.tsv')[0]).toMatchObject({
      age_at_diagnosis: null,
      days_to_last_follow_up: 12,
      morphology: 'test',
    })
  })
})

const READ_TABLES = `
import csv, io, json, sys
for text in json.loads(sys.argv[1]):
    rows = csv.reader(io.StringIO(text, newline=''), delimiter='\\t')
    rows = [[cell.strip() for cell in row] for row in rows]
    print(json.dumps([row for row in rows if any(row)]))
`

test.skipIf(!available.python)('rows are those of Python’s csv module', async () => {
  const table = fc.string({ unit: fc.constantFrom(...'ab"\t\n\r '), maxLength: 30 })
  const closed = table.filter((text) => rowsOf(text) !== undefined)
  const texts = fc.sample(closed, { numRuns: 1000, seed: 8 })
  const printed = await runPython(READ_TABLES, [JSON.stringify(texts)])
  const wanted = printed.trimEnd().split('\n')
  for (const [i, text] of texts.entries()) {
    expect([text, rowsOf(text)]).toEqual([text, JSON.parse(wanted[i] ?? '')])
  }
})

/** Undefined if a quote is not closed, which Python accepts at the end. */
function rowsOf(text: string): readonly (readonly string[])[] | undefined {
  try {
    return [...tableRows(text, '\t')].map(({ cells }) => cells)
  } catch {
    return undefined
  }
}
