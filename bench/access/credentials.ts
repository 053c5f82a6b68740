import { openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import type { Issuer } from './issuer.ts'

/** Headers of one user with the same right, by each way to be known to the service. */
export type Credentials = Readonly<
  Record<'token' | 'session' | 'JWT', Readonly<Record<string, string>>>
>

const GROUP = 'bench-readers'
const DAY = 86_400

/** Gives a token, a person and the claims of an issuer the right to read a project. */
export async function makeCredentials(
  dataFolder: string,
  project: string,
  issuer: Issuer,
): Promise<Credentials> {
  const sessionTimes = { idleSeconds: DAY, absoluteSeconds: DAY }
  const engine = await openEngine({ dataFolder, executor: inlineExecutor, sessionTimes })
  try {
    const { tokens, accessMap, people } = engine.shared
    const { secret } = await tokens.create({ user: 'bench', projects: [project] })
    const readers = { issuer: issuer.url, claim: 'groups', value: GROUP }
    await accessMap.map(readers, { projects: [project] })
    // Others of the institution are mapped to other projects.
    for (let i = 0; i < 200; i++) {
      const other = { issuer: issuer.url, claim: 'groups', value: `group-${i}` }
      await accessMap.map(other, { projects: [`OTHER-${i}`] })
    }
    const groups = [GROUP, ...Array.from({ length: 20 }, (_, i) => `group-of-elsewhere-${i}`)]
    const person = { issuer: issuer.url, subject: 'bench', name: 'Bench', claims: { groups } }
    const session = await people?.sessions.start(person)
    return {
      token: { 'x-auth-token': secret },
      session: { cookie: `sessionid=${session?.secret}`, 'sec-fetch-site': 'same-origin' },
      JWT: { 'x-auth-token': await issuer.sign(groups) },
    }
  } finally {
    await engine.close()
  }
}
