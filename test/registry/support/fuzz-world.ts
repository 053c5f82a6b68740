import { SCHEMA, TABLES } from './made-algorithm.ts'
import { BODY_BYTES } from './odd-posts.ts'
import { successOf } from './registry-answers.ts'
import { openRegistry, type RegistryWorld } from './registry-world.ts'

/** The path at which the made algorithm is served. */
export const VERSION = '/rest/staging/made/1.0'

/** The service with the made algorithm, which only logs failures. */
export async function openFuzzWorld(): Promise<RegistryWorld> {
  const world = await openRegistry({ logLevel: 'error', bodyBytes: BODY_BYTES })
  for (const [target, body, status] of [
    ['/rest/staging/made', {}, 201],
    [VERSION, {}, 201],
    [`${VERSION}/batch`, { schemas: [SCHEMA], tables: TABLES }, 200],
  ] as const) {
    await successOf(await world.ask(`POST ${target}`, { body }), status)
  }
  return world
}
