import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from '../../engine/submission/dictionary/dictionary.ts'
import { DocumentValidator } from '../../engine/submission/transactions/document-validator.ts'
import type { EntityIssue } from '../../engine/submission/transactions/entity-issue.ts'
import type { EntityDocument } from '../../engine/submission/transactions/submitted.ts'
import { available } from '../available.ts'
import { publishedFiles, readPublished, readVector, readVectorIndex } from './support/published.ts'

interface Vector {
  readonly request?: EntityDocument | readonly EntityDocument[]
  readonly response?: {
    readonly entities: readonly { readonly errors: readonly EntityIssue[] }[]
  }
  readonly response_text?: string
}

describe.skipIf(!available.shared)('recorded documents', () => {
  if (!available.shared) return
  const place = mkdtempSync(join(tmpdir(), 'casemill-published-'))
  let published: Dictionary
  let current: DocumentValidator

  beforeAll(async () => {
    for (const [name, text] of publishedFiles(readPublished()))
      writeFileSync(join(place, name), text)
    published = await Dictionary.load(place, inlineExecutor)
    current = new DocumentValidator(await Dictionary.load(OWN_DICTIONARY, inlineExecutor))
  })
  afterAll(() => rmSync(place, { recursive: true }))

  function errorsOf(document: EntityDocument, isPartial = false): readonly EntityIssue[] {
    const type = current.typeOf(document)
    if (!('properties' in type)) return type
    return current.validate(document, type, { isPartial }).errors
  }

  /** The errors that a schema alone finds; validators ignore misspelt names. */
  function schemaErrors(document: EntityDocument): readonly string[] {
    const type = published.types.get(String(document.type))
    if (!type) return ['type unknown or missing']
    const { errors } = new DocumentValidator(published).validate(document, type)
    return errors
      .filter(({ type }) => type !== 'INVALID_PROPERTY')
      .map(({ message }) => message)
      .sort()
  }

  const recorded = readVectorIndex().filter((vector) => vector.schema_errors_3_0_3)

  // The messages are those of Python's jsonschema 4.26 for the published dictionary 3.0.3.
  test.each(recorded)('$file has the errors of a validator', ({ file, schema_errors_3_0_3 }) => {
    const { request } = readVector(file) as Vector
    const documents = Array.isArray(request) ? request : [request as EntityDocument]
    const found = documents.map(schemaErrors)
    expect(found).toEqual(schema_errors_3_0_3?.map((errors) => errors.toSorted()))
  })

  interface Example {
    readonly entities: readonly EntityDocument[]
    readonly schema_errors: readonly (readonly { keys: string[]; message: string }[])[]
  }
  const { valid, invalid } = readVector('dictionary_examples.json') as Readonly<
    Record<'valid' | 'invalid', Readonly<Record<string, Example>>>
  >
  const examples = [...Object.entries(valid), ...Object.entries(invalid)]

  test.each(examples)('the example %s has the errors of a validator', (_, example) => {
    expect(example.entities.map(schemaErrors)).toEqual(
      example.schema_errors.map((errors) => errors.map(({ message }) => message).toSorted()),
    )
  })

  // These are answers of the public service, whose dictionary is 4.0.3.
  test.each([...['28_troubleshooting.json', '30_troubleshooting.json', '34_troubleshooting.json']])(
    'the errors of %s are those of the public service',
    (file) => {
      const { request, response } = readVector(file) as Vector
      const documents = Array.isArray(request) ? request : [request as EntityDocument]
      expect(documents.map((document) => errorsOf(document))).toEqual(
        response?.entities.map(({ errors }) => errors),
      )
    },
  )

  // These answers are not JSON as a whole, but their errors are.
  test.each([
    ...['36_troubleshooting.json', '40_troubleshooting.json', '42_troubleshooting.json'],
    '44_troubleshooting.json',
  ])('the errors of %s are those that its text has', (file) => {
    const { request, response_text = '' } = readVector(file) as Vector
    const [, told = ''] = /"errors":\s*(\[[\s\S]*?\}\s*\])/.exec(response_text) ?? []
    const [document = {}] = Array.isArray(request) ? request : [request as EntityDocument]
    expect(errorsOf(document)).toEqual(JSON.parse(told))
  })

  // 12 was recorded with an older dictionary, which required less (submission.md 4).
  const accepted = readVectorIndex().filter(
    ({ file, code = 400, note }) =>
      code < 400 &&
      note === undefined &&
      file !== '12_submission.json' &&
      (readVector(file) as Vector).request !== undefined,
  )

  test.each(accepted)('$file is accepted, as it was', ({ file, http = '' }) => {
    const { request } = readVector(file) as Vector
    const documents = Array.isArray(request) ? request : [request as EntityDocument]
    const isPartial = http.startsWith('PATCH')
    expect(documents.flatMap((document) => errorsOf(document, isPartial))).toEqual([])
  })
})
