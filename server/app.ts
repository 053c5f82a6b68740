import { commonsFailures } from './commons/errors.ts'
import { commonsSecurity } from './commons/security.ts'
import { type SlicingEngine, slicingEndpoints } from './commons/slicing.ts'
import { type StatusFacts, systemEndpoints } from './commons/system.ts'
import type { Config } from './config.ts'
import { type App, composeRooms, type Room } from './http/compose.ts'
import { describeApi } from './http/describe.ts'
import type { Log } from './http/log.ts'
import type { Metrics } from './http/metrics.ts'
import { docsEndpoints } from './web/docs.ts'

/** What is used of the engine: the sum of what its rooms need, so that tests can stand in. */
export type ServedEngine = SlicingEngine

export interface AppOptions {
  readonly engine: ServedEngine
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly status: StatusFacts
  /** Whether new work is welcome; false while the server stops. */
  readonly ready?: () => boolean
}

/** The whole service as one application. A new interface is one more room in the list. */
export function createApp(options: AppOptions): App {
  const { engine, config, log, metrics, status, ready = () => true } = options
  const document = () => describeApi(app, status.tag)
  const commons: Room = {
    prefix: '/',
    failures: commonsFailures,
    securitySchemes: commonsSecurity,
    endpoints: [
      ...systemEndpoints({ status, metrics, ready, document }),
      ...docsEndpoints(),
      ...slicingEndpoints(engine),
    ],
  }
  const app = composeRooms([commons], { config, log, metrics, ready })
  return app
}
