import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFuzzWorld, VERSION } from './fuzz-world.ts'
import { BODY_BYTES, contentTypes, isCase, postedText } from './odd-posts.ts'
import { failureOf, successOf } from './registry-answers.ts'
import type { RegistryWorld } from './registry-world.ts'

const TARGETS = [
  `${VERSION}/stage`,
  `${VERSION}/stage?explain=true`,
  `${VERSION}/schemas/lookup`,
  `${VERSION}/made/defaults`,
  `${VERSION}/table/sizes/match`,
  `${VERSION}/table/year/match`,
] as const

/** Tests the given number of single cases; each test file has its own seed. */
export function testPostedCases({ seed, runs }: { readonly seed: number; readonly runs: number }) {
  let world: RegistryWorld
  beforeAll(async () => {
    world = await openFuzzWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test(`${runs} bodies of single cases are answered if they are cases, and refused if not`, async () => {
    const statuses = new Map<number, number>()
    const property = fc.asyncProperty(
      ...([fc.constantFrom(...TARGETS), postedText, contentTypes(['application/x+json'])] as const),
      async (target, body, { type, isRight }) => {
        const wanted = wantedStatus(body, isRight)
        statuses.set(wanted, (statuses.get(wanted) ?? 0) + 1)
        const response = await world.ask(`POST ${target}`, {
          who: 'reader',
          body,
          headers: { 'Content-Type': type },
        })
        if (wanted === 200) await successOf(response, 200, target.endsWith('/defaults'))
        else await failureOf(response, wanted, target.replace(/\?.*/, ''))
      },
    )
    await fc.assert(property, { seed, numRuns: runs })
    for (const status of [200, 400, 415]) {
      expect(statuses.get(status)).toBeGreaterThan(runs / 20)
    }
    expect(statuses.get(413)).toBeGreaterThan(runs / 1000)
    expect(world.lines).toEqual([])
  })
}

function wantedStatus(body: string, isTypeRight: boolean): number {
  if (!isTypeRight) return 415
  if (Buffer.byteLength(body) > BODY_BYTES) return 413
  return isCase(body) ? 200 : 400
}
