import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { type Address, formatAddress, parseAddress } from '../address/address.ts'
import { type Place, PlaceContext } from '../address/context.ts'
import { ServiceContext } from '../service/context.ts'
import { Service } from '../service/service.ts'
import { Header } from './header.tsx'
import { PageView } from './page-view.tsx'

/** The whole explorer. The fragment of the address is all of its state that lasts. */
export function App() {
  const [address, setAddress] = useState(() => parseAddress(location.hash))
  const service = useMemo(() => new Service(), [])
  useEffect(() => {
    const follow = () => setAddress(parseAddress(location.hash))
    addEventListener('hashchange', follow)
    addEventListener('popstate', follow)
    return () => {
      removeEventListener('hashchange', follow)
      removeEventListener('popstate', follow)
    }
  }, [])
  const go = useCallback<Place['go']>((next: Address, { replaces = false } = {}) => {
    const fragment = formatAddress(next)
    if (replaces) history.replaceState(null, '', fragment)
    else history.pushState(null, '', fragment)
    setAddress(next)
  }, [])
  const place = useMemo(() => ({ address, go }), [address, go])
  return (
    <ServiceContext.Provider value={service}>
      <PlaceContext.Provider value={place}>
        <Header />
        <PageView />
      </PlaceContext.Provider>
    </ServiceContext.Provider>
  )
}
