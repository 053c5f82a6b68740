import { appOf } from '../search/support/app.ts'
import { testDownloads } from './support/download-behaviour.ts'

testDownloads(async (engine) => {
  const app = appOf(engine)
  return { request: async (path, init) => app.request(path, init), close: async () => {} }
})
