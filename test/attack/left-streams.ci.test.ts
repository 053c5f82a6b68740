import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OTHER_RECODES, PATIENT_RECODES } from '../../engine/registry/index.ts'
import { RULE_OF } from './access-table.ts'
import { isOfDataset, ONE_OF_EACH, ROUTES, testLeftStreams } from './support/left-streams.ts'

// One route of each kind that answers with a stream; streams-of-other-routes.ci.test.ts tests the others.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

testLeftStreams(ONE_OF_EACH)

/** The paths of the data commons' operations that answer without a stream. */
const WHOLE =
  /^(GET|OPTIONS|POST|PUT|DELETE) \/($|all|audit|auth|cohorts|docs|explorer|favicon|ga4gh|graphql|health|login-notifications|metrics|notifications|openapi|quick_search|reads|scrna_seq\/cell_annotations$|services?\b|sets(\/combine|\/\{set_id\}(\/append|\/remove)?)?$|slicing\/view$|status|terms|tile|variants|[a-z_]+\/_mapping$)/

test('the table has every route that streams', () => {
  const operations = [...RULE_OF.keys()]
  expect(Object.keys(ROUTES).filter((operation) => !RULE_OF.has(operation))).toEqual([])
  const ofCommons = operations.filter((operation) => !/ \/(rest|submission)\b/.test(operation))
  // Routes of a dataset without records in the demo work like those of the other datasets.
  const isLeftOut = (operation: string) => WHOLE.test(operation) || isOfDataset(operation)
  expect(ofCommons.filter((operation) => !isLeftOut(operation) && !(operation in ROUTES))).toEqual(
    [],
  )
  // In the other modules, only these files contain a route that can stream.
  const streaming = ['registry', 'submission'].flatMap((wing) =>
    readdirSync(join(ROOT, 'server', wing))
      .map((name) => `server/${wing}/${name}`)
      .filter((path) => /\.stream\(/.test(readFileSync(join(ROOT, path), 'utf8'))),
  )
  expect(streaming).toEqual([
    'server/registry/file-body.ts',
    'server/registry/line-batch.ts',
    'server/registry/streamed.ts',
    'server/submission/export.ts',
  ])
  const others = operations.filter((one) =>
    / \/rest\/(mph|recode\/.*|.*stage)\/batch$|\/(export|archive|diff|process)$/.test(one),
  )
  expect(others.filter((operation) => !(operation in ROUTES))).toEqual([])
  expect(others).toHaveLength(8 + OTHER_RECODES.length + PATIENT_RECODES.length)
})
