import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { POINTER } from '../engine/commons/release/releases.ts'
import { type Engine, type EngineOptions, openEngine as openAnywhere } from '../engine/index.ts'

/** Where the state and the files of a test are stored, apart from its folder. */
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
  // The address names a folder as its host, which the URL class would reject.
  return database.replace(
    /options=[^&]*/,
    `options=${encodeURIComponent(`-c search_path=${name}`)}`,
  )
}

/** Opens an engine with state and files in the places of `placesOf`, unless the options name others. */
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

/** If releases are distributed by the bucket, replaces the release made in the folder by the fetched one. */
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

/** Makes an engine serve another release that was built in its folder. */
export async function serveRelease({ commons }: Engine, id: string): Promise<void> {
  const { distribution, releases } = commons
  if (!distribution) return await releases.switchTo(id)
  await distribution.publish(id)
  await distribution.switchTo(id)
}
