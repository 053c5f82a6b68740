import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import type { Database } from '../../engine/shared/database/database.ts'
import { states } from '../../engine/shared/support/new-state.ts'
import { sharedState } from '../../engine/shared-state.ts'
import { available } from '../available.ts'
import { PostgresServer } from '../shared/database/support/postgres.ts'

// The registry's stores pass their own tests with state in PostgreSQL, too.

const STORES = '../../engine/registry'

describe.skipIf(!available.postgresql)('the registry in PostgreSQL', async () => {
  const server = new PostgresServer()
  const { one, two } = states
  const opened: Database[] = []
  const open = (stateUrl: string) => {
    const state = sharedState({ dataFolder: '', stateUrl })
    opened.push(state)
    return state
  }
  beforeAll(async () => {
    await server.start()
    states.one = async () => open(await server.url())
    states.two = async () => {
      const url = await server.url()
      return [open(url), open(url)]
    }
  })
  afterEach(async () => {
    for (const state of opened.splice(0)) await state.close()
  })
  afterAll(async () => {
    Object.assign(states, { one, two })
    await server.stop()
  })

  await import(`${STORES}/staging/store/catalogue.test.ts`)
  await import(`${STORES}/staging/store/editable-version.test.ts`)
  await import(`${STORES}/staging/store/import-staging.test.ts`)
  await import(`${STORES}/staging/store/loaded-versions.test.ts`)
  await import(`${STORES}/staging/store/service.test.ts`)
  await import(`${STORES}/publishing/editing.test.ts`)
  await import(`${STORES}/publishing/import-records.test.ts`)
  await import(`${STORES}/publishing/loading.test.ts`)
  await import(`${STORES}/publishing/publishing-area.test.ts`)
  await import(`${STORES}/publishing/searching.test.ts`)
  await import(`${STORES}/publishing/glossary/term-finder.test.ts`)
  await import(`${STORES}/codes/hcpcs/hcpcs.test.ts`)
  await import(`${STORES}/codes/hcpcs/import-hcpcs.test.ts`)
  await import(`${STORES}/codes/ndc/find-product.test.ts`)
  await import(`${STORES}/codes/ndc/import-ndc.test.ts`)
  await import(`${STORES}/codes/ndc/ndc.test.ts`)
  await import(`${STORES}/multiple-primaries/import-hematopoietic.test.ts`)
  await import(`${STORES}/naaccr/naaccr.test.ts`)
  await import(`${STORES}/surgery/surgery.test.ts`)
})
