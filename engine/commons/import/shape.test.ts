import { expect, test } from 'vitest'
import { ColumnTally } from '../../shared/input/column-tally.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASETS } from '../datasets/index.ts'
import { shapeOf, type Tidying, tidyRecord } from './shape.ts'

const files = shapeOf(DATASETS.files)
const cases = shapeOf(DATASETS.cases)
const tidy = (record: JsonObject, shape = files) => {
  const unknown = new Map<string, number>()
  const tidying: Tidying = {
    noteMeasure: () => undefined,
    noteDoubt: () => undefined,
    noteUnknown: (path) => void unknown.set(path, (unknown.get(path) ?? 0) + 1),
    tallyOf: (path) => new ColumnTally(path, () => 0),
  }
  return { record: tidyRecord(record, shape, tidying), unknown: Object.fromEntries(unknown) }
}

test("the real service's names become this project's at any depth", () => {
  const project = { dbgap_accession_number: 'phs1', program: { dbgap_accession_number: null } }
  expect(tidy({ cases: [{ project }] }).record).toEqual({
    cases: [
      {
        project: {
          registry_accession_number: 'phs1',
          program: { registry_accession_number: null },
        },
      },
    ],
  })
  expect(
    tidy({ cosmic_id: ['COSM1'], ncbi_build: 'GRCh38' }, shapeOf(DATASETS.ssms)).record,
  ).toEqual({
    catalog_id: ['COSM1'],
    agency_build: 'GRCh38',
  })
})

test('unknown members stay and are counted by path; legacy fields and the id are known', () => {
  const record = {
    id: '1',
    file_id: '1',
    colour: 'red',
    cases: [{ demographic: { gender: 'male', shoe_size: 3 } }, { demographic: { shoe_size: 4 } }],
  }
  expect(tidy(structuredClone(record))).toEqual({
    record,
    unknown: { colour: 1, 'cases.demographic.shoe_size': 2 },
  })
})

test('a single object in the place of a list becomes the list; null elements go', () => {
  expect(tidy({ diagnoses: { diagnosis_id: 'd' }, samples: [null, {}] }, cases).record).toEqual({
    diagnoses: [{ diagnosis_id: 'd' }],
    samples: [{}],
  })
})

test('null and absence stay what they are', () => {
  const record = { demographic: null, disease_type: null, diagnoses: [{ morphology: null }] }
  expect(tidy(structuredClone(record), cases).record).toEqual(record)
})

test.each([
  [{ demographic: 'none' }, 'demographic is neither an object nor a list of objects'],
  [{ samples: ['s1'] }, 'samples is a list of other than objects'],
  [{ disease_type: { a: 1 } }, 'disease_type is no single value or list'],
  [{ diagnoses: [{ morphology: [['x']] }] }, 'diagnoses.morphology is no single value or list'],
])('a member of another make than its field is refused (%j)', (record, message) => {
  expect(() => tidy(record, cases)).toThrow(message)
})

test("a member called __proto__ is dropped and changes nobody's prototype", () => {
  const { record } = tidy(JSON.parse('{"file_id":"f","__proto__":{"access":"open"}}'))
  expect(Object.keys(record)).toEqual(['file_id'])
  expect(record.access).toBeUndefined()
})

test('truth values in a field of texts are in lower case, as spreadsheets do not write them', () => {
  const said = ['TRUE', 'False', 'true', 'No'].map((oct_embedded) => ({ oct_embedded }))
  expect(tidy({ samples: said }, cases).record).toEqual({
    samples: ['true', 'false', 'true', 'No'].map((oct_embedded) => ({ oct_embedded })),
  })
})

test('codes of two digits keep their zero where a program has made numbers of them', () => {
  const record = {
    samples: [{ sample_type_id: '1' }, { sample_type_id: '10.0' }, { sample_type_id: '01' }],
    tissue_source_site: { code: '2' },
  }
  expect(tidy(record, cases).record).toEqual({
    samples: [{ sample_type_id: '01' }, { sample_type_id: '10' }, { sample_type_id: '01' }],
    tissue_source_site: { code: '02' },
  })
  const named = { tissue_source_site: { code: 'NA' }, diagnoses: [{ morphology: '8140/3' }] }
  expect(tidy(structuredClone(named), cases).record).toEqual(named)
})
