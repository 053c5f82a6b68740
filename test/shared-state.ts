import type { TestProject } from 'vitest/node'
import { findPostgres } from '../bench/commons/search/postgres/cluster.ts'
import { PostgresServer } from './shared/database/support/postgres.ts'

// Makes the tests of the interfaces store their state in PostgreSQL, as several servers do; see places.ts. The
// server starts once, before any test file is collected.

declare module 'vitest' {
  export interface ProvidedContext {
    /** A URL of PostgreSQL whose user may create schemas; absent if state is stored in folders. */
    database: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (findPostgres() === undefined)
    throw new Error("state in PostgreSQL needs its server's programs")
  const postgres = new PostgresServer()
  await postgres.start()
  project.provide('database', await postgres.url())
  return () => postgres.stop()
}
