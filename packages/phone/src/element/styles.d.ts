/** Compiled by scripts/build.ts from `phone.css`, ready for a shadow root. */
declare module 'phone-styles' {
  const css: string;
  export default css;
}
