import { describe, expect, test } from 'vitest'
import { doubtsOf, jwtRulesOf, loginOf, objectStorage, readConfig, shownConfig } from './config.ts'

test('the defaults are loopback, port 8080 and the limits of data-commons.md 11.8', () => {
  const config = readConfig()
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, bodyBytes: 16 * 1024 * 1024 })
  expect(config.headerBytes).toBe(64 * 1024)
  expect(Object.isFrozen(config)).toBe(true)
})

test('a flag beats the environment, which beats the default', () => {
  const environment = { CASEMILL_PORT: '9000', CASEMILL_DATA: '/srv/a', PATH: '/bin' }
  const config = readConfig({ environment, flags: { data: '/srv/b', host: undefined } })
  expect(config).toMatchObject({ port: 9000, data: '/srv/b', host: '127.0.0.1' })
})

test('an empty variable counts as not set', () => {
  expect(readConfig({ environment: { CASEMILL_PORT: '' } }).port).toBe(8080)
})

test("a client's token beside the settings is no mistake", () => {
  expect(readConfig({ environment: { CASEMILL_TOKEN: 'secret' } })).toEqual(readConfig())
})

test.each([
  [{ CASEMILL_PORTS: '1' }, 'setting CASEMILL_PORTS is unknown; use one of CASEMILL_PORT,'],
  [{ CASEMILL_PORTS: '1' }, '; did you mean "CASEMILL_PORT"?'],
  [
    { CASEMILL_PORT: 'eighty' },
    'setting CASEMILL_PORT: "eighty" is not accepted; expected a whole number from 0 to 65535',
  ],
  [{ CASEMILL_PORT: ' ' }, 'setting CASEMILL_PORT: '],
  [{ CASEMILL_PORT: '65536' }, '"65536" is not accepted; expected a whole number from 0 to 65535'],
  [{ CASEMILL_PORT: '80.5' }, 'setting CASEMILL_PORT: '],
  [
    { CASEMILL_LOG_LEVEL: 'loud' },
    'setting CASEMILL_LOG_LEVEL: "loud" is not accepted; expected one',
  ],
  [{ CASEMILL_LOG_LEVEL: 'warning' }, 'did you mean "warn"?'],
  [{ CASEMILL_GROUP_READ: 'yes' }, '"yes" is not accepted; expected true or false'],
  [{ CASEMILL_OIDC_ISSUERS: 'http://login.example.org' }, 'expected URLs with https://'],
  [{ CASEMILL_OIDC_ISSUERS: 'https://a.example,https://u:secret@b.example' }, 'the value is not'],
  [{ CASEMILL_OIDC_ISSUERS: 'https://a.example?x=1' }, 'expected URLs with https://'],
  [{ CASEMILL_OIDC_ISSUERS: ',' }, 'expected URLs with https://'],
  [{ CASEMILL_OIDC_ALGORITHMS: 'RS256,HS256' }, 'expected some of RS256, RS384'],
  [{ CASEMILL_OIDC_ALGORITHMS: 'none' }, 'expected some of RS256, RS384'],
  [{ CASEMILL_OIDC_SKEW_SECONDS: '301' }, 'expected a whole number from 0 to 300'],
  [{ CASEMILL_LOGIN_ISSUER: 'http://login.example.org' }, 'expected https:// and a host'],
  [{ CASEMILL_LOGIN_ISSUER: 'https://u:secret@login.example.org' }, 'the value is not'],
  [{ CASEMILL_LOGIN_SCOPES: 'profile' }, 'expected openid and further names'],
  [{ CASEMILL_PUBLIC_URL: 'http://data.example.org' }, 'expected https:// and a host'],
  [{ CASEMILL_PUBLIC_URL: 'https://data.example.org/a' }, 'expected https:// and a host'],
  [{ CASEMILL_SESSION_HOURS: '721' }, 'expected a whole number from 1 to 720'],
  [{ CASEMILL_STATE_URL: 'mysql://a:secret@b/c' }, 'setting CASEMILL_STATE_URL: the value is not'],
])('%o is refused with its name', (environment, message) => {
  expect(() => readConfig({ environment })).toThrow(message)
})

test('an unknown or ill-typed flag is refused', () => {
  expect(() => readConfig({ flags: { prot: 1 } })).toThrow(
    /^setting prot is unknown; use one of port.*; did you mean "port"\?$/,
  )
  expect(() => readConfig({ flags: { port: true } })).toThrow('setting port: ')
})

test('without a bucket there is no object storage, and the settings are shown all the same', () => {
  expect(objectStorage(readConfig())).toBeUndefined()
  expect(readConfig()).toMatchObject({ s3Bucket: null, s3Endpoint: null, s3PathStyle: null })
})

test('without a folder the dictionary is the project’s own', () => {
  expect(readConfig().dictionary).toBeNull()
  const environment = { CASEMILL_DICTIONARY: 'types' }
  expect(readConfig({ environment }).dictionary).toBe('types')
})

test('a database has an address, whose password is not shown', () => {
  expect(readConfig().stateUrl).toBeNull()
  const environment = { CASEMILL_STATE_URL: 'postgresql://lab:secret@db.example.org:5432/casemill' }
  const config = readConfig({ environment })
  expect(config.stateUrl).toBe(environment.CASEMILL_STATE_URL)
  expect(shownConfig(config).stateUrl).toBe('postgresql://lab:***@db.example.org:5432/casemill')
  const socket = { CASEMILL_STATE_URL: 'postgresql:///casemill?host=/run/pg&password=secret' }
  expect(JSON.stringify(shownConfig(readConfig({ environment: socket })))).not.toContain('secret')
  expect(shownConfig(readConfig())).toEqual(readConfig())
})

test('a bucket turns object storage on', () => {
  const bucket = readConfig({ environment: { CASEMILL_S3_BUCKET: 'cohort.files' } })
  expect(objectStorage(bucket)).toEqual({ bucket: 'cohort.files' })
  const environment = {
    CASEMILL_S3_BUCKET: 'cohort',
    CASEMILL_S3_ENDPOINT: 'https://s3.example.org:9000',
    CASEMILL_S3_PREFIX: 'a/b',
    CASEMILL_S3_REGION: 'eu-central-1',
    CASEMILL_S3_PATH_STYLE: 'false',
  }
  expect(objectStorage(readConfig({ environment }))).toEqual({
    bucket: 'cohort',
    endpoint: 'https://s3.example.org:9000',
    prefix: 'a/b',
    region: 'eu-central-1',
    pathStyle: false,
  })
})

test.each([
  ['CASEMILL_S3_BUCKET', 'a/b'],
  ['CASEMILL_S3_BUCKET', 'x'],
  ['CASEMILL_S3_ENDPOINT', 's3.example.org'],
  ['CASEMILL_S3_ENDPOINT', 'ftp://s3.example.org'],
  ['CASEMILL_S3_ENDPOINT', 'https://key:secret@s3.example.org'],
  ['CASEMILL_S3_PATH_STYLE', 'yes'],
  ['CASEMILL_STATE_URL', 'mysql://db.example.org/casemill'],
])('%s is not %s', (name, value) => {
  expect(() => readConfig({ environment: { [name]: value } })).toThrow(`setting ${name}: `)
})

describe('JWTs of issuers', () => {
  const fetchDocument = async () => ({})
  const rulesOf = (environment: Readonly<Record<string, string>>) =>
    jwtRulesOf(readConfig({ environment }), fetchDocument)

  test('none are accepted by default', () => {
    expect(rulesOf({})).toBeUndefined()
    expect(rulesOf({ CASEMILL_OIDC_AUDIENCE: 'casemill' })).toBeUndefined()
  })

  test('issuers need an audience', () => {
    const set = () => rulesOf({ CASEMILL_OIDC_ISSUERS: 'https://a.example' })
    expect(set).toThrow('CASEMILL_OIDC_ISSUERS is set without CASEMILL_OIDC_AUDIENCE')
  })

  test('lists are separated by commas', () => {
    const rules = rulesOf({
      CASEMILL_OIDC_ISSUERS: 'https://a.example/realms/x, http://127.0.0.1:9000',
      CASEMILL_OIDC_AUDIENCE: 'casemill,https://data.example.org',
      CASEMILL_OIDC_ALGORITHMS: 'ES384',
      CASEMILL_OIDC_REGISTRY: 'true',
    })
    expect(rules).toEqual({
      issuers: ['https://a.example/realms/x', 'http://127.0.0.1:9000'],
      audiences: ['casemill', 'https://data.example.org'],
      algorithms: ['ES384'],
      skewSeconds: 60,
      acceptsRegistry: true,
      fetchDocument,
    })
  })
})

test.each([
  ['https://a.example', 'casemill', 1],
  ['https://a.example', 'client', 0],
  ['https://b.example', 'casemill', 0],
])('tokens of %s for %s give %i warnings beside log-in', (issuer, audience, count) => {
  const environment = {
    CASEMILL_LOGIN_ISSUER: 'https://a.example',
    CASEMILL_LOGIN_CLIENT_ID: 'casemill',
    CASEMILL_OIDC_ISSUERS: issuer,
    CASEMILL_OIDC_AUDIENCE: `data, ${audience}`,
  }
  const doubts = doubtsOf(readConfig({ environment }))
  expect(doubts).toHaveLength(count)
  expect(doubts.join()).toMatch(count > 0 ? /ID tokens/ : /^$/)
})

test('log-in needs all of its settings, and its secret is not shown', () => {
  expect(loginOf(readConfig())).toBeUndefined()
  const issuer = { CASEMILL_LOGIN_ISSUER: 'https://login.example.org/realms/a' }
  expect(() => loginOf(readConfig({ environment: issuer }))).toThrow(
    'setting CASEMILL_LOGIN_ISSUER also needs CASEMILL_PUBLIC_URL and CASEMILL_LOGIN_CLIENT_ID and CASEMILL_LOGIN_CLIENT_SECRET',
  )
  const environment = {
    ...issuer,
    CASEMILL_PUBLIC_URL: 'https://data.example.org/',
    CASEMILL_LOGIN_CLIENT_ID: 'casemill',
    CASEMILL_LOGIN_CLIENT_SECRET: 'hidden',
    CASEMILL_SESSION_IDLE_MINUTES: '30',
  }
  const config = readConfig({ environment })
  expect(loginOf(config)).toEqual({
    issuer: 'https://login.example.org/realms/a',
    clientId: 'casemill',
    clientSecret: 'hidden',
    scopes: 'openid profile email',
    publicUrl: 'https://data.example.org',
    sessionTimes: { idleSeconds: 1800, absoluteSeconds: 43_200 },
  })
  expect(JSON.stringify(shownConfig(config))).not.toContain('hidden')
})
