import { expect } from 'vitest'

// The vocabulary of client-expectations.jsonl for facts of an answer.

type Json = Readonly<Record<string, unknown>>

/** Expects that an answer has the stated facts. */
export function expectFacts(answer: unknown, facts: Json): void {
  for (const [name, wanted] of Object.entries(facts)) {
    if (name === 'absent') for (const one of wanted as string[]) expectFact(answer, one, 'absent')
    else if (name === 'present') for (const one of wanted as string[]) expectFact(answer, one, name)
    else expectFact(answer, name, wanted)
  }
}

function expectFact(answer: unknown, name: string, wanted: unknown): void {
  const [, whole = name, how] = /^(.*?)(_length| contains)?$/.exec(name) ?? []
  const value = at(answer, whole)
  // The status was compared before the answer was read.
  if (name === 'status' && typeof wanted === 'number') expect(wanted).toBe(200)
  else if (name === 'entry') expectFacts(at(answer, 'changelogs[0]'), wanted as Json)
  else if (name === 'length') expect(answer).toHaveLength(wanted as number)
  else if (how === '_length') expect(value, name).toHaveLength(wanted as number)
  else if (how === ' contains') expect(value, name).toContain(wanted)
  else if (/^\d+$/.test(name)) expectFacts(value, wanted as Json)
  else if (typeof wanted === 'string') expectWords(value, name, wanted)
  else expect(value, name).toEqual(wanted)
}

function expectWords(value: unknown, name: string, wanted: string): void {
  const list = Array.isArray(value) ? value : []
  const [, number] = /^(\d+) entr(?:y|ies)$/.exec(wanted) ?? []
  if (wanted === 'absent') expect(value, name).toBeUndefined()
  else if (wanted === 'present') expect(value, name).toBeDefined()
  else if (wanted === 'non-empty') expect(list.length, name).toBeGreaterThan(0)
  else if (wanted === 'more than 1') expect(list.length, name).toBeGreaterThan(1)
  else if (number !== undefined) expect(list, name).toHaveLength(Number(number))
  else if (wanted === 'id and name only') expect(Object.keys(value as Json)).toEqual(['id', 'name'])
  else if (wanted === 'non-empty, each id, name, old, new') {
    expect(list.length, name).toBeGreaterThan(0)
    for (const one of list) expect(Object.keys(one)).toEqual(['id', 'name', 'old', 'new'])
  } else expect(value, name).toEqual(wanted)
}

/** @example at({ a: [{ b: 1 }] }, 'a[0].b') // 1 */
function at(value: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce<unknown>((inner, step) => (inner as Json | undefined)?.[step], value)
}
