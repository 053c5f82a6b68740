import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { POINTER } from '../engine/commons/release/releases.ts'
import { type Engine, type EngineOptions, openEngine as openAnywhere } from '../engine/index.ts'

/** Where the state and the files of a test lie, beside its folder. */
type Places = Pick<EngineOptions, 'stateUrl' | 'objects'>

/**
 * Nothing, so that all lies in the folder; with `--mode shared` a schema of a PostgreSQL server, a bucket's
 * prefix, or both. The same folder has the same, and no other.
 */
export async function placesOf(dataFolder: string): Promise<Places> {
  // Neither is provided in other modes.
  const database: string | undefined = inject('database')
  const objects: EngineOptions['objects'] = inject('objects')
  const name = `t${hash('sha256', dataFolder).slice(0, 32)}`
  return {
    ...(database !== undefined && { stateUrl: await schemaOf(database, name) }),
    ...(objects && { objects: { ...objects, prefix: `${name}/` } }),
  }
}

async function schemaOf(database: string, name: string): Promise<string> {
  const client = new pg.Client(database)
  await client.connect()
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`).finally(() => client.end())
  // Its host is a folder, which no URL's host can be.
  return database.replace(
    /options=[^&]*/,
    `options=${encodeURIComponent(`-c search_path=${name}`)}`,
  )
}

/** As `openEngine` of the engine, with state and files where `placesOf` says unless the options do. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { stateUrl, objects } = await placesOf(options.dataFolder)
  const engine = await openAnywhere({
    ...options,
    stateUrl: options.stateUrl ?? stateUrl,
    objects: options.objects ?? objects,
  })
  await fetchRelease(engine)
  return engine
}

/** Where releases go by the bucket, replaces the one that was made in the folder by what comes out of it. */
async function fetchRelease({ commons: { distribution, releases } }: Engine): Promise<void> {
  if (!distribution) return
  const id = await releases.current()
  if (id === undefined || (await distribution.pointer()).id === id) return
  await distribution.publish(id)
  await distribution.switchTo(id)
  await rm(releases.folder(id), { recursive: true })
  await rm(join(releases.path, POINTER))
  await distribution.bringCurrent()
}

/** Has an engine that serves a folder serve another release that was built in it. */
export async function serveRelease({ commons }: Engine, id: string): Promise<void> {
  const { distribution, releases } = commons
  if (!distribution) return await releases.switchTo(id)
  await distribution.publish(id)
  await distribution.switchTo(id)
}
