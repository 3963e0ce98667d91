// The package has no types of its own; only what is read here is declared.
declare module 'zipcodes' {
  interface ZipCode {
    zip: string
    latitude: number
    longitude: number
    city: string
    state: string
    country: string
  }
  const zipcodes: { codes: Record<string, ZipCode> }
  export default zipcodes
}
