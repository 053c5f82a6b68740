import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { fakeApp } from '../commons/contract/fake-engine.ts'
import { expectFacts } from './support/expectation-facts.ts'
import { loadExpected, SetClock } from './support/publishing-fixtures.ts'
import { successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import { readExpectations } from './support/staging-vectors.ts'
import { type ClientArea, knownMembers, unreadable } from './support/strict-client.ts'

// The public client's expectations of rx, glossary and disease, over HTTP, with records made from the
// expectations themselves (see support/publishing-fixtures.ts).

const AREAS = ['rx', 'glossary', 'disease'] as const

let world: RegistryWorld
beforeAll(async () => {
  if (!available.shared) return
  const clock = new SetClock()
  world = await openRegistry({ logLevel: 'error' }, clock.read)
  await loadExpected(world.engine, clock)
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Json = Readonly<Record<string, unknown>>

/** Sends a request as the client does, and parses the answer as strictly. */
async function ask(area: ClientArea, operation: string, text?: string): Promise<Json> {
  const posted = text === undefined ? {} : { body: text, headers: { 'Content-Type': 'text/plain' } }
  const response = await world.ask(operation, { who: 'reader', ...posted })
  const answer = await successOf(response, 200)
  const path = (operation.split(' ')[1] ?? '').replace(/\?.*/, '')
  expect(unreadable(area, path, answer)).toEqual([])
  return answer as Json
}

/** The client's own search with all parameters set, which has no results. */
const NOTHING = [
  'q=abt&type=DRUG&mode=OR&status=TEST&assigned_to=user&modified_from=2014-01-01',
  'modified_to=2014-05-31&published_from=2014-01-01&published_to=2014-05-31&count=100&offset=0',
  'order=name&output_type=MIN&do_not_code=YES&category=category',
].join('&')

/** Translates an expectation's description into an HTTP request, and returns the answer. */
async function answerOf(area: ClientArea, request: string): Promise<Json> {
  if (request.includes(' with a filter set matching nothing')) {
    return ask(area, `GET /rest/rx/latest?${NOTHING}`)
  }
  const [, operation = '', text] =
    /^(\w+ \S+)(?: text\/plain '(.*)')?( then id)?$/.exec(request) ?? []
  const answer = await ask(area, operation, text)
  if (!request.endsWith(' then id')) return answer
  const [first] = answer.results as { id: string }[]
  return ask(area, `GET /rest/${area}/latest/id/${first?.id}`)
}

describe.skipIf(!available.shared)('the public client', () => {
  test('all expectations are there', () => {
    expect(AREAS.map((area) => readExpectations(area).length)).toEqual([5, 3, 10])
  })

  test.each(AREAS.flatMap((area) => readExpectations(area)))(
    '$request',
    async ({ area, request, expect: wanted }) => {
      const answer = await answerOf(area as ClientArea, request)
      const facts = Object.entries(wanted as Json)
      const ofCategory = ([name]: readonly [string, unknown]) => name.startsWith('with category ')
      expectFacts(answer, Object.fromEntries(facts.filter((fact) => !ofCategory(fact))))
      for (const [name, length] of facts.filter(ofCategory)) {
        const category = `category=${name.split(' ').at(-1)}&`
        expect(await answerOf('glossary', request.replace('?', `?${category}`))).toHaveLength(
          Number(length),
        )
      }
    },
  )

  test('reads whole records, histories of changes and pages of any size', async () => {
    for (const area of AREAS) {
      for (const query of [
        'output_type=FULL&glossary=true&count=1000',
        'output_type=PARTIAL',
        'q=made',
      ]) {
        await ask(area, `GET /rest/${area}/latest?${query}`)
      }
      await ask(area, `GET /rest/${area}/latest/changelog`)
    }
    await ask('disease', 'GET /rest/disease/latest/id/51f6cf58e3e27c3994bd5408/2010')
  })
})

test.each([
  ['rx', 'Rx'],
  ['glossary', 'Glossary'],
  ['disease', 'Disease'],
] as const)(
  'the API document has for %s what the client knows, and histories',
  async (area, name) => {
    const described = await fakeApp().app.request('/openapi.json')
    const { components } = (await described.json()) as {
      components: { schemas: Record<string, { properties: object }> }
    }
    const members = [name, `Found${name}`].flatMap((one) =>
      Object.keys(components.schemas[one]?.properties ?? {}),
    )
    expect(new Set(members)).toEqual(new Set([...knownMembers(area), 'history']))
  },
)
