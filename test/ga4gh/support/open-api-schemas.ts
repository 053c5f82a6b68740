import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import { parse } from 'yaml'

type Validator = (value: unknown) => readonly string[]

/** The members that service-info 1.0 of the GA4GH requires (service-info.yaml, components/schemas/Service). */
const SERVICE = {
  type: 'object',
  required: ['id', 'name', 'type', 'organization', 'version'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    version: { type: 'string' },
    description: { type: 'string' },
    type: {
      type: 'object',
      required: ['group', 'artifact', 'version'],
      properties: {
        group: { type: 'string' },
        artifact: { type: 'string' },
        version: { type: 'string' },
      },
    },
    organization: {
      type: 'object',
      required: ['name', 'url'],
      properties: { name: { type: 'string' }, url: { type: 'string', pattern: '^https?://' } },
    },
  },
}

const SERVICE_ADDRESS =
  'https://raw.githubusercontent.com/ga4gh-discovery/ga4gh-service-info/v1.0.0/service-info.yaml'

/** A date-time of RFC 3339. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Validates bodies with the published description of the Data Repository Service, a folder of YAML files. */
export class DrsSchemas {
  readonly #ajv: Ajv

  private constructor(ajv: Ajv) {
    this.#ajv = ajv
  }

  static async open(folder: string): Promise<DrsSchemas> {
    // The files are OpenAPI, which has keywords that JSON Schema lacks.
    const ajv = new Ajv({
      strict: false,
      allErrors: true,
      formats: { 'date-time': DATE_TIME, int64: true },
    })
    ajv.addSchema({ $id: SERVICE_ADDRESS, components: { schemas: { Service: SERVICE } } })
    for (const place of ['schemas', 'responses']) {
      for (const name of await readdir(join(folder, 'components', place))) {
        const path = join(folder, 'components', place, name)
        const $id = idOf(folder, path)
        const file = parse(await readFile(path, 'utf8')) as object
        ajv.addSchema({ ...file, $id })
      }
    }
    return new DrsSchemas(ajv)
  }

  /** Returns a validator of the JSON bodies of a response, which describes the errors of a body. */
  response(name: string): Validator {
    const pointer = '/content/application~1json/schema'
    const $ref = `${base}components/responses/${name}.yaml#${pointer}`
    return worded(this.#ajv.compile({ $ref }))
  }
}

const base = 'https://schemas.test/drs/'

const idOf = (folder: string, path: string) =>
  base + pathToFileURL(`/${relative(folder, path)}`).pathname.slice(1)

function worded(validate: ValidateFunction): Validator {
  return (value) => {
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
