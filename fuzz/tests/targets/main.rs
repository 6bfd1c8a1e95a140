//! The fuzz targets, a module each: one program is linked once, and its targets run beside each other.

mod apply;
mod cel;
mod certificate;
mod certificate_facts;
mod cidr;
mod configuration;
mod crd;
mod gates;
mod ip;
mod json;
mod json_patch;
mod judge;
mod labels;
mod mutation;
mod names;
mod proto;
mod quoted;
mod request;
mod selectors;
mod shape;
mod spdy;
mod strategic;
mod stream;
mod webhook;
mod websocket;
mod yaml;
