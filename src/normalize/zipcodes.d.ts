// The package has no types. This file declares only the members that the project reads.
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
