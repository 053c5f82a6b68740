import { expect, test } from 'vitest'
import { termsOf } from '../../../engine/commons/import/terms.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from '../../../engine/submission/dictionary/dictionary.ts'

test('the terms are those of the dictionary', async () => {
  const { types } = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
  const enums = ['demographic', 'sample'].flatMap((type) =>
    [...(types.get(type)?.properties ?? [])].flatMap(([name, { values = [] }]) =>
      [...values].map((term) => ({ name, term: String(term), terms: termsOf(name) })),
    ),
  )
  const known = enums.filter(({ terms }) => terms !== undefined)
  expect(known.length).toBeGreaterThan(60)
  for (const { name, term, terms } of known) expect(terms?.find(term), name).toBe(term)
})
