import type { Engine } from '../../../engine/index.ts'
import { readExpectations } from './staging-vectors.ts'

// Records of the areas as the public client's expectations describe them. Values stated by an expectation are
// used as they are; where it states only a number or presence, invented texts are used. The others are there to
// be counted:
// - rx: `53c44b0a102c1290262dce76`; eight drugs and one regimen with the word "abt"
// - glossary: `Lymphangiogram`; two GENERAL terms of the sentence to match, and a HEMATO one beside it
// - disease: `51f6cf58e3e27c3994bd5408`; seven HEMATO and one solid disease with the word "basophilic"; others
//   up to the 300 of the first entry in the changelog

type Json = Readonly<Record<string, unknown>>

/** A clock that is set by hand, so that loaded records have the dates of the expectations. */
export class SetClock {
  #now = Date.parse('2026-03-01T12:00:00.000Z')
  readonly read = () => new Date(this.#now)

  set(time: string): void {
    this.#now = Date.parse(time)
  }
}

/** Loads the records at the dates of the changelogs, then sets the clock to the present. */
export async function loadExpected(
  { registry: { rx, glossary, disease } }: Engine,
  clock: SetClock,
): Promise<void> {
  clock.set('2013-07-29T08:00:00.000Z')
  const user = 'migration'
  const description = 'Initial migration'
  await disease.load(expectedDiseases(), { user, description })
  await glossary.load(expectedTerms(), { user, description })
  await rx.load(expectedDrugs('Made remark.'), { user, description })
  clock.set('2015-09-15T08:00:00.000Z')
  await rx.load(expectedDrugs('Made remark, made clearer.'), { user: 'editor' })
  clock.set('2026-03-01T12:00:00.000Z')
}

/** The values that an expectation states for the record read by a request. */
function statedOf(area: string, request: string): Json {
  const found = readExpectations(area).find((one) => one.request.includes(request))
  if (!found) throw new Error(`there is no expectation of ${request}`)
  const words = /^(absent|present|non-empty|more than|\d+ entr)/
  const stated = Object.entries(found.expect as Json).filter(
    ([name, value]) =>
      /^\w+$/.test(name) &&
      !['absent', 'present', 'version'].includes(name) &&
      !(typeof value === 'string' && words.test(value)),
  )
  return Object.fromEntries(stated)
}

const texts = (...values: readonly string[]) => values.map((value) => ({ value }))

function* expectedDrugs(remarks: string): Generator<Json> {
  const id = '53c44b0a102c1290262dce76'
  yield {
    id,
    ...statedOf('rx', id),
    remarks,
    alternate_name: ['Made name one', 'Made name two'],
    subcategory: ['Made class'],
    nsc_number: ['000001'],
  }
  for (let i = 1; i <= 9; i++) {
    const type = i === 9 ? 'REGIMEN' : 'DRUG'
    yield { id: `abt${i}`, name: `ABT-${100 + i}`, type, category: ['Chemotherapy'] }
  }
}

function* expectedTerms(): Generator<Json> {
  const stated = statedOf('glossary', 'q=Lymphangiogram')
  yield { id: 'term1', ...stated, definition: 'A picture of lymph vessels.' }
  yield {
    id: 'term2',
    name: 'White blood cell',
    alternate_name: ['white blood cells'],
    category: ['GENERAL'],
  }
  yield { id: 'term3', name: 'Antibody', alternate_name: ['antibodies'], category: ['GENERAL'] }
  yield { id: 'term4', name: 'blood cell', category: ['HEMATO'] }
}

function* expectedDiseases(): Generator<Json> {
  const id = '51f6cf58e3e27c3994bd5408'
  yield {
    id,
    ...statedOf('disease', id),
    icdO2_morphology: ['9840/3'],
    icdO1_morphology: ['9840/3'],
    abstractor_note: texts('Made note.'),
    treatment: texts('Made treatment', 'Another one'),
    alternate_name: texts('Acute erythemia [OBS]', 'Made name'),
    icd_10cm_code: texts('C94.0 Acute erythroid leukemia'),
    icd_10_code: ['C94.0 Acute erythremia and erythroleukemia'],
    icd_9_code: ['207.0 Acute erythremia and erythroleukemia'],
    diagnosis_method: texts('Cytogenetics', 'Made method'),
    module_id: texts('See abstractor notes'),
    transform_from: texts('9989/3'),
    immunophenotype: texts('Made marker'),
    same_primary: texts('9861/3'),
  }
  for (let i = 1; i < 300; i++) {
    const word = i <= 8 ? 'basophilic' : 'other'
    const type = i === 8 || i % 3 === 0 ? 'SOLID_TUMOR' : 'HEMATO'
    yield { id: `made${i}`, name: `Made ${word} disease ${i}`, type: i < 8 ? 'HEMATO' : type }
  }
}
