import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeSettings, readConfig } from '../../server/config.ts'
import { deployment, FOLDERS, job, service, settings } from '../../tools/kubernetes/objects.ts'
import { DOCS } from './documented.ts'

// The files that an operator copies use settings that casemill knows, and fit the image.

const OBJECTS = Object.values(FOLDERS).flatMap((files) => Object.values(files))

const podOf = { Deployment: deployment.spec!.template.spec!, Job: job.spec!.template.spec! }
const containerfile = readFileSync(join(DOCS, 'container/Containerfile'), 'utf8')

test('every variable in what is copied is a setting', () => {
  const known = new Set(describeSettings().map(({ variable }) => variable))
  const names = ['container', 'haproxy', 'kubernetes', 'nginx', 'systemd'].flatMap((folder) =>
    readdirSync(join(DOCS, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.\w+$|file$/.test(name))
      .flatMap((name) => [
        ...readFileSync(join(DOCS, folder, name), 'utf8').matchAll(/CASEMILL_[A-Z0-9_]+/g),
      ]),
  )
  expect(names.length).toBeGreaterThan(15)
  expect(names.map(([name]) => name).filter((name) => !known.has(name))).toEqual([])
})

test('the settings are taken, and a pod may take as long to end as they say', () => {
  const config = readConfig({ environment: settings.data ?? {} })
  expect(config).toMatchObject({ s3Bucket: 'casemill', trustedProxies: 1 })
  const { drainLeadSeconds, drainSeconds } = config
  const { terminationGracePeriodSeconds = 0, containers } = podOf.Deployment
  expect(terminationGracePeriodSeconds).toBe(drainLeadSeconds + drainSeconds + 20)
  const { periodSeconds = 10, failureThreshold = 3 } = containers[0]!.readinessProbe!
  expect(drainLeadSeconds).toBeGreaterThan(periodSeconds * failureThreshold)
})

test('an instance of the unit is ended by systemd later than by itself', () => {
  const unit = readFileSync(join(DOCS, 'systemd/casemill@.service'), 'utf8')
  const settings = unit.replaceAll('%i', '8081').matchAll(/(CASEMILL_\w+)=(\S+)/g)
  const environment = Object.fromEntries([...settings].map(([, name, value]) => [name, value]))
  const { port, data, drainLeadSeconds, drainSeconds } = readConfig({ environment })
  expect({ port, data }).toEqual({ port: 8081, data: '/var/lib/casemill-8081' })
  const stop = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
  expect(stop).toBeGreaterThan(drainLeadSeconds + drainSeconds + 10)
})

test('pods are of the user, port and folder of the image', () => {
  const { securityContext, containers, volumes } = podOf.Deployment
  const { runAsUser, runAsGroup, fsGroup } = securityContext!
  expect(containerfile).toContain(`USER ${runAsUser}:${runAsGroup}\n`)
  expect(fsGroup).toBe(runAsGroup)
  expect(containerfile).toContain(`EXPOSE ${containers[0]!.ports![0]!.containerPort}\n`)
  expect(containerfile).toContain(`VOLUME ${containers[0]!.volumeMounts![0]!.mountPath}\n`)
  expect(volumes?.every(({ emptyDir }) => emptyDir?.sizeLimit !== undefined)).toBe(true)
})

// https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
test.each(['Deployment', 'Job'] as const)('the pods of the %s are restricted', (kind) => {
  const pod = podOf[kind]
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  for (const { securityContext } of pod.containers) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  }
})

test('a variable that Kubernetes would make of the name of the Service is refused', () => {
  const { name = '' } = service.metadata ?? {}
  const environment = { [`${name.toUpperCase()}_PORT`]: 'tcp://192.0.2.1:80' }
  expect(() => readConfig({ environment })).toThrow('CASEMILL_PORT')
})

test('no object has a secret', () => {
  expect(OBJECTS.map(({ kind }) => kind)).not.toContain('Secret')
  const texts = OBJECTS.map((each) => JSON.stringify(each))
  expect(texts.filter((text) => /AWS_SECRET|postgres(ql)?:\/\//.test(text))).toEqual([])
})
